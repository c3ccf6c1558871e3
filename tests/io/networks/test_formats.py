"""All formats of networks together: round trips, damaged files, classes, sums, attacks."""

import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io import load_structure
from bnlr.io.files import NETWORK_FORMATS
from bnlr.io.structures import read_structure
from tests import strategies
from tests.io import hostile
from tests.io.packed import PACKINGS

# The first extension of each; in some, any word is a plain name.
FORMATS = tuple({each: end[1:] for end, each in reversed(NETWORK_FORMATS.items())}.values())


@pytest.fixture(params=FORMATS)
def path(request, tmp_path):
    return tmp_path / f"x.{request.param}"


def small():
    s = bnlr.Structure([("c", "a b"), ("c", "d"), ("a b", "d")], class_name="c")
    states = {"c": ("n", "y"), "a b": (1, 2), "d": ("x", "y", "z")}
    cpts = {"c": [0.3, 0.7], "a b": [[0.1, 0.9], [0.5, 0.5]], "d": np.full((2, 2, 3), 1 / 3)}
    return bnlr.BayesianNetwork(s, states, cpts)


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("first", "last"),
    [(0, 15), *(pytest.param(k, k + 50, marks=pytest.mark.slow) for k in range(0, 200, 50))],
)
def test_two_hundred_hostile_networks_come_back_to_the_byte(first, last, path):
    for seed in range(first, last):
        net = hostile.network(seed)
        bnlr.save(net, path)
        hostile.assert_same(bnlr.load(path), net)
        found = read_structure(path)
        assert found.structure == net.structure
        assert found.cards == net.cards


def test_a_format_is_known_by_its_beginning(path, monkeypatch):
    for seed in range(20):
        net = hostile.network(seed)
        bnlr.save(net, path)
        raw = io.BytesIO(path.read_bytes())
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=raw))
        assert read_structure("-") == read_structure(path)


@given(net=strategies.networks(strategies.structures()), extension=st.sampled_from(FORMATS))
def test_drawn_networks_come_back_to_the_byte(net, extension, tmp_path_factory):
    path = tmp_path_factory.mktemp("x") / f"x.{extension}"
    bnlr.save(net, path)
    hostile.assert_same(bnlr.load(path), net)


@pytest.mark.slow
@given(
    texts=st.lists(st.text(min_size=1), min_size=3, max_size=3, unique=True),
    labels=st.lists(st.text(), min_size=1, max_size=4, unique=True),
    extension=st.sampled_from(FORMATS),
)
def test_any_text_is_a_name_and_a_state(texts, labels, extension, tmp_path_factory):
    a, b, c = texts
    s = bnlr.Structure([(a, b), (b, c), (a, c)], class_name=b)
    states = {a: labels, b: ["x"], c: labels}
    cpts = {node: np.ones([len(states[m]) for m in (*s.parents(node), node)]) for node in s.nodes}
    cpts = {node: cpt / cpt.shape[-1] for node, cpt in cpts.items()}
    net = bnlr.BayesianNetwork(s, states, cpts)
    path = tmp_path_factory.mktemp("x") / f"x.{extension}"
    bnlr.save(net, path)
    hostile.assert_same(bnlr.load(path), net)


def test_odd_sums_that_a_network_may_have_come_back_as_they_are(path):
    s = bnlr.Structure([], class_name="c", nodes=["c", "a"])
    cpts = {"c": [0.3333333, 0.3333333, 0.3333333], "a": [1.0, -0.0, 5e-324]}
    net = bnlr.BayesianNetwork(s, {"c": (0, 1, 2), "a": (0, 1, 2)}, cpts)
    bnlr.save(net, path)
    hostile.assert_same(bnlr.load(path), net)


@pytest.mark.slow
def test_files_are_plain_ascii_words_where_the_format_needs_them(tmp_path):
    for extension in ("bif", "net"):
        path = tmp_path / f"x.{extension}"
        for seed in range(20):
            bnlr.save(hostile.network(seed), path)
            assert path.read_text(encoding="ascii").isascii()


@pytest.mark.parametrize("extension", [end for end in FORMATS if end != "uai"])
def test_clean_names_need_no_properties_but_the_class(extension, tmp_path):
    path = tmp_path / f"x.{extension}"
    bnlr.save(hostile.network(6, 2, hostile.CLEAN, hostile.CLEAN), path)
    of_xdsl = {"bnlr_place", "bnlr_states"}  # its states are no numbers, its parents come first
    found = set(re.findall("bnlr_[a-z]+", path.read_text()))
    assert found == ({"bnlr_class", *of_xdsl} if extension == "xdsl" else {"bnlr_class"})


# Damaged files


def assert_refused_or_valid(path):
    for read in (bnlr.load, load_structure):
        said = hostile.failure(bnlr.ModelFileError, read, path)
        assert said == "" or said.startswith(str(path))


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_a_file_cut_anywhere_is_refused(step, path):
    bnlr.save(small(), path)
    raw = path.read_bytes()
    for length in range(0, len(raw.rstrip()), step):
        write(path, raw[:length])
        for read in (bnlr.load, load_structure):
            with pytest.raises(bnlr.ModelFileError, match=re.escape(str(path))):
                read(path)


@pytest.mark.parametrize("n_files", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_changed_files_are_refused_or_valid(n_files, path):
    bnlr.save(small(), path)
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(n_files):
        changed = bytearray(raw)
        for _ in range(rng.integers(1, 4)):
            at, other = rng.integers(len(changed), size=2)
            kind = rng.integers(3)
            if kind == 0:
                changed[at] = rng.integers(256)
            elif kind == 1:
                del changed[at : at + rng.integers(1, 20)]
            else:
                changed[at:at] = changed[other : other + rng.integers(1, 30)]
        write(path, bytes(changed))
        assert_refused_or_valid(path)


@given(raw=st.binary(max_size=60), extension=st.sampled_from(FORMATS))
def test_no_bytes_give_another_error(raw, extension, tmp_path_factory):
    path = tmp_path_factory.mktemp("x") / f"x.{extension}"
    assert_refused_or_valid(write(path, raw))


def test_a_file_that_is_absent_or_a_folder(path):
    with pytest.raises(bnlr.ModelFileError, match="cannot read"):
        bnlr.load(path)
    path.mkdir()
    with pytest.raises(bnlr.ModelFileError, match="cannot read"):
        bnlr.load(path)
    with pytest.raises(bnlr.ModelFileError, match="cannot write"):
        bnlr.save(small(), path)
    with pytest.raises(bnlr.ModelFileError, match="there is no folder"):
        bnlr.save(small(), path / "none" / path.name)


# The class


def without_class(path):
    text = path.read_text()
    return write(path, re.sub(r".*bnlr_class.*\n", "", text))


def test_the_class_of_a_file_that_names_none(path):
    bnlr.save(small(), path)
    without_class(path)
    for read in (bnlr.load, load_structure):
        with pytest.raises(bnlr.ModelFileError, match=r"class_name= .*'c', 'a b', 'd'"):
            read(path)
        with pytest.raises(bnlr.ModelFileError, match="did you mean 'a b'"):
            read(path, "a bb")
    net = bnlr.load(path, "a b")
    assert net.structure == bnlr.Structure(small().structure.edges, "a b", small().structure.nodes)
    assert load_structure(path, class_name="d").class_name == "d"


@pytest.mark.parametrize("extension", [*FORMATS, "json"])
def test_a_class_that_is_given_overrides_the_file_s(extension, tmp_path):
    path = tmp_path / f"x.{extension}"
    bnlr.save(small(), path)
    assert bnlr.load(path).structure.class_name == "c"
    assert bnlr.load(path, class_name="d").structure.class_name == "d"


def test_a_class_written_by_hand(tmp_path):
    path = tmp_path / "x.xml"
    bnlr.save(small(), path)
    write(path, path.read_text().replace("bnlr_class = c", "bnlr_class = a b"))
    assert bnlr.load(path).structure.class_name == "a b"


def test_the_estimator_takes_these_files_as_structures(path):
    net = hostile.network(3, 2, hostile.CLEAN, hostile.CLEAN)
    bnlr.save(net, path)
    frame = net.sample(200, random_state=0)
    own = net.structure.class_name
    clf = bnlr.BNClassifier(structure=path, learner="frequencies")
    clf.fit(frame.drop(columns=own), frame[own])
    assert clf.network_.structure == net.structure


# Sums


def replaced(path, old, new):
    """The small network's file with P(c) written otherwise, and of another program."""
    bnlr.save(small(), path)
    text = without_class(path).read_text()
    numbers = re.sub(r"0\.3(,?) 0\.7", rf"{old}\1 {new}", text)
    assert numbers != text
    return write(path, numbers)


@pytest.mark.parametrize(("a", "b"), [("0.3", "0.7001"), ("0.30005", "0.7"), ("3.0e-1", "0.6999")])
def test_sums_within_rounding_are_normalised(a, b, path):
    found = bnlr.load(replaced(path, a, b), "c").cpts["c"]
    np.testing.assert_allclose(found, np.array([float(a), float(b)]) / (float(a) + float(b)))
    assert abs(found.sum() - 1.0) < 1e-15


@pytest.mark.parametrize(
    ("a", "b"),
    [("0.7", "0.7"), ("0.3000000", "0.70001"), ("0", "0"), ("1", "1"), ("0.3", "0.69"), ("0", "2")],
)
def test_other_sums_are_refused_with_node_and_column(a, b, path):
    replaced(path, a, b)
    if path.suffix == ".net" and (a, b) != ("0", "0"):
        np.testing.assert_allclose(
            bnlr.load(path, "c").cpts["c"][0], float(a) / (float(a) + float(b))
        )
        return
    with pytest.raises(bnlr.ModelFileError, match=r"x\.\w+:\d+: P\(c\) sums to .*, not 1"):
        bnlr.load(path, "c")
    assert load_structure(path, "c") == small().structure


def test_the_column_of_a_wrong_sum_is_named(path):
    bnlr.save(small(), path)
    other, said = ("0.0", "0") if path.suffix == ".net" else ("0.6", r"1\.2")
    write(path, re.sub(r"0\.5(,?) 0\.5", rf"{other}\1 {other}", path.read_text()))
    with pytest.raises(bnlr.ModelFileError, match=rf"P\(a b \| c=y\) sums to {said}, not 1"):
        bnlr.load(path)


@pytest.mark.parametrize(
    "cells", [["0.33"] * 3, [".17"] * 6, ["3.3e-1"] * 3, ["0.48", "0.08", *(["0.04"] * 10)]]
)
def test_what_rounding_explains_is_divided_by_its_sum_with_a_warning(cells, tmp_path):
    labels = ", ".join(f"s{k}" for k in range(len(cells)))
    text = f"variable c {{ type discrete [{len(cells)}] {{ {labels} }}; }}\n"
    path = write(tmp_path / "x.bif", f"{text}probability ( c ) {{ table {', '.join(cells)}; }}")
    with pytest.warns(bnlr.BnlrWarning, match=r"P\(c\) sums to (0.9|1.0)\d; rounded digits"):
        found = bnlr.load(path, "c").cpts["c"]
    np.testing.assert_allclose(found, np.array(cells, float) / sum(map(float, cells)), rtol=1e-15)


NUMBERS = ["nan", "inf", "-0.3", "1e999", "-1e-300", "0x1", "1_0", "0.3.1", "1" * 5000, "½", "٣"]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: n[:8])
def test_numbers_that_are_no_probabilities(number, path):
    replaced(path, number, "0.7")
    with pytest.raises(bnlr.ModelFileError, match=r"not a number|no probability|expected"):
        bnlr.load(path, "c")


# Attacks, and what is never done


def test_no_other_file_and_no_socket_is_opened(path):
    bnlr.save(small(), path)
    bnlr.load(path)
    events = []

    def hook(event, arguments):
        if watching and (event == "open" or event.startswith(("socket", "subprocess", "exec"))):
            events.append((event, arguments[0]))

    watching = False
    sys.addaudithook(hook)
    watching = True
    bnlr.load(path)
    watching = False
    assert events == [("open", str(path))]


def test_tables_that_claim_more_than_they_hold(tmp_path):
    nodes = [f"n{k}" for k in range(40)]
    variables = "".join(f"variable {n} {{ type discrete [2] {{ a, b }}; }}\n" for n in nodes)
    roots = "".join(f"probability ( {n} ) {{ table 0.5 0.5; }}\n" for n in nodes[1:])
    head = f"probability ( n0 | {', '.join(nodes[1:])} ) {{"
    for body in ("default 0.5 0.5;", "table 0.5 0.5;", ""):
        path = write(tmp_path / "x.bif", f"{variables}{roots}{head} {body} }}\n")
        assert len(load_structure(path, "n1").parents("n0")) == 39
        with pytest.raises(bnlr.ModelFileError, match=r"1,099,511,627,776|lacks the row"):
            bnlr.load(path, "n1")


@pytest.mark.slow
def test_deep_nesting(tmp_path):
    deep = "(" * 10**5 + "1.0" + ")" * 10**5
    net = 'node a {{ states = ("x"); }}\npotential (a) {{ data = {}; }}\n'
    assert bnlr.load(write(tmp_path / "x.net", net.format(deep)), "a").cpts["a"].tolist() == [1.0]
    for text in (deep + ")", "(" + deep, deep.replace("1.0", "x")):
        with pytest.raises(bnlr.ModelFileError):
            bnlr.load(write(tmp_path / "x.net", net.format(text)), "a")
    with pytest.raises(bnlr.ModelFileError, match="levels deep"):
        bnlr.load(write(tmp_path / "x.xml", "<BIF>" + "<A>" * 10**5), "a")


@pytest.mark.parametrize(
    "name", ["x.dsc", "x.dne", "x.oobn", "x.pkl", "x.bgum", "x.rds", "x.arff", "x.dot"]
)
def test_other_formats_are_refused_with_what_to_do(name, tmp_path):
    write(tmp_path / name, "")
    for act in (bnlr.load, load_structure, lambda path: bnlr.save(small(), path)):
        with pytest.raises(bnlr.ModelFileError, match="not supported for networks; "):
            act(tmp_path / name)
    assert (tmp_path / name).read_bytes() == b""


def test_a_classifier_is_json_and_says_so(path):
    net = hostile.network(3, 2, hostile.CLEAN, hostile.CLEAN)
    frame = net.sample(100, random_state=0)
    clf = bnlr.BNClassifier("naive-bayes", learner="frequencies")
    clf.fit(frame.iloc[:, :-1], frame.iloc[:, -1])
    with pytest.raises(bnlr.ModelFileError, match=r"\.json.*classifier\.network_"):
        clf.save(path)
    bnlr.save(clf.network_, path)
    hostile.assert_same(bnlr.load(path), clf.network_)
    with pytest.raises(bnlr.ModelFileError, match=r"bnlr\.load\(path\)"):
        bnlr.BNClassifier.load(path)


@pytest.mark.parametrize("state", [None, b"x", float("nan"), float("inf"), (1,)])
def test_states_that_no_file_holds(state, path):
    s = bnlr.Structure([], class_name="c")
    net = bnlr.BayesianNetwork(s, {"c": (state, "y")}, {"c": [0.5, 0.5]})
    with pytest.raises(bnlr.ModelFileError, match="cannot be a state of 'c'"):
        bnlr.save(net, path)
    assert not path.exists()


@pytest.mark.parametrize(
    "written", ["x:1", "i:1.5", "f:nan", "b:2", "s:%FF", "i:", "s:a s:a", "s:a", "s:a i:1 i:2"]
)
def test_states_in_properties_that_mean_nothing(written, path):
    bnlr.save(small(), path)
    write(path, path.read_text().replace("i:1 i:2", written))
    with pytest.raises(bnlr.ModelFileError, match=re.escape(str(path))):
        bnlr.load(path)


# Packed files and encodings


@pytest.mark.parametrize("suffix", PACKINGS)
def test_packed_files_of_any_format_are_read_by_content(suffix, path):
    net = hostile.network(3)
    bnlr.save(net, path)
    raw = PACKINGS[suffix](path.read_bytes())
    for name in (f"{path.name}{suffix}", path.name):
        packed = write(path.with_name(name), raw)
        hostile.assert_same(bnlr.load(packed), net)
        assert load_structure(packed) == net.structure


def test_standard_input_may_be_packed_or_in_an_encoding_of_its_own(path, monkeypatch):
    bnlr.save(small(), path)
    raw = path.read_bytes()
    text = raw.decode().replace('encoding="UTF-8"', 'encoding="latin-1"')
    packed = [pack(raw) for pack in PACKINGS.values()]
    for sent in (*packed, text.encode("latin-1"), text.encode("utf-16")):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(sent)))
        assert read_structure("-").structure == small().structure


def test_packed_models_and_arcs(tmp_path):
    bnlr.save(small(), tmp_path / "x.json")
    packed = write(tmp_path / "y.json.gz", PACKINGS[".gz"]((tmp_path / "x.json").read_bytes()))
    hostile.assert_same(bnlr.load(packed), small())
    arcs = write(tmp_path / "arcs.txt.xz", PACKINGS[".xz"](b"c -> a"))
    assert load_structure(arcs, "c").edges == (("c", "a"),)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
def test_encodings_of_every_format(encoding, path):
    s = bnlr.Structure([], class_name="c")
    net = bnlr.BayesianNetwork(s, {"c": ("groß", "klein")}, {"c": [0.25, 0.75]})
    bnlr.save(net, path)
    text = path.read_text("utf-8").replace('encoding="UTF-8"', "")
    if path.suffix not in (".uai", ".xmlbif"):
        text = (
            re.sub(r".*bnlr_states.*\n", "", text).replace("gro_", "gros").replace("gros", "groß")
        )
    write(path, text.encode(encoding))
    is_told = encoding in ("utf-16", "utf-8-sig")
    if not is_told and not text.isascii():
        with pytest.raises(bnlr.ModelFileError, match=r"encoding= \(--encoding in the shell\)"):
            bnlr.load(path)
    for asked in (encoding, None) if is_told else (encoding,):
        found = bnlr.load(path, encoding=asked)
        assert len(found.states["c"]) == 2
        assert load_structure(path, encoding=asked) == found.structure
    with pytest.raises(
        bnlr.ModelFileError, match=r"no encoding 'latin-17'.*did you mean 'latin-1'"
    ):
        bnlr.load(path, encoding="latin-17")


@pytest.mark.parametrize("name", ["x.foo", "x", "x.txt", "x.csv", "x.gz"])
def test_an_unknown_extension_is_told_as_such(name, tmp_path):
    with pytest.raises(bnlr.ModelFileError, match=r"no format of .*\.json, \.bif.*\.dsl"):
        bnlr.load(write(tmp_path / name, "c -> a\n"), "c")


def test_memory_that_ends_is_said(path, monkeypatch):
    bnlr.save(small(), path)
    for error in (MemoryError(), bnlr.TooLargeError("the table")):

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr("bnlr.io.networks.parsed.ParsedNetwork.structure", fail)
        for read in (bnlr.load, load_structure):
            with pytest.raises(bnlr.TooLargeError, match=r"more memory than there is|the table"):
                read(path)


@pytest.mark.slow
def test_a_bomb_is_refused_by_its_size(tmp_path):
    raw = PACKINGS[".gz"](b"network n { }" + bytes(2**27))
    with pytest.raises(bnlr.ModelFileError, match="unpacks to more than 6 MiB"):
        bnlr.load(write(tmp_path / "x.bif", raw))


BIF = "network x { } variable a { type discrete [2] { u, v }; } probability ( a ) { table %s; }"
NET = 'net { } node a { states = ("u" "v"); } potential (a) { data = (%s); }'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.bif", NET % "1 3", r"begins as files \.net do: rename it"),
        ("x.net", BIF % ".5, .5", r"begins as files \.bif do: rename it"),
        ("x.xml", '<?xml version="1.0"?><smile></smile>', r"begins as files \.xdsl do"),
        ("x.xml", "<ProbModelXML/>", r"\.pgmx; save it as \.bif"),
        ("x.bif", BIF % "0,3, 0,7", "Decimals are written with points, not commas"),
        ("x.net", NET % "0,3 0,7", "'0,3' is not a number; write a decimal one, with a point"),
        ("x.dnet", "//", "open it in GeNIe and save it as .xdsl"),
    ],
)
def test_what_is_told_of_other_formats_and_numbers(tmp_path, name, text, said):
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(bnlr.ModelFileError, match=said):
        bnlr.load(tmp_path / name, class_name="a")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_characters_without_a_mark_are_told_of(tmp_path, encoding):
    path = tmp_path / "x.bif"
    path.write_bytes((BIF % ".5, .5").encode(encoding))
    with pytest.raises(bnlr.ModelFileError, match="UTF-16 without a mark: name its encoding"):
        bnlr.load(path, class_name="a")
    assert bnlr.load(path, class_name="a", encoding=encoding).states == {"a": ("u", "v")}


def test_ends_of_lines_of_old_and_declarations_of_utf_16_that_is_none(tmp_path):
    (tmp_path / "x.net").write_bytes(("% of a Mac\r" + NET % "1 3").encode())
    assert bnlr.load(tmp_path / "x.net", class_name="a").states == {"a": ("u", "v")}
    network = bnlr.load(tmp_path / "x.net", class_name="a")
    bnlr.save(network, tmp_path / "x.xml")
    text = (tmp_path / "x.xml").read_text("utf-8").replace("UTF-8", "utf-16")
    (tmp_path / "x.xml").write_text(text, "utf-8")
    assert bnlr.load(tmp_path / "x.xml").states == {"a": ("u", "v")}
