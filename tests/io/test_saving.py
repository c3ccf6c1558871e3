"""Model files: what goes in comes out to the last bit, and nothing else gets in."""

import hashlib
import json
import os
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io.files import replacing
from bnlr.io.models.envelope import read_document, write_document
from bnlr.io.models.network import content_to_network, network_to_content
from tests import strategies

HOSTILE = [
    "plain",
    "two words",
    'say "so"',
    "it's",
    "a,b;c\td",
    "line\nend\r\n",
    "ж–é–😀",
    "\u202eright to left",
    "back\\slash/",
    "{}[]:",
    "# -> →",
    "nul\x00",
    "\ud800",  # a lone surrogate
    "__class__",
    "NaN",
    "1e999",
    "null",
    "x" * 5000,
]


def network(names=("c", "a", "b"), states=None):
    c, a, b = names
    structure = bnlr.Structure([(c, a), (a, b), (c, b)], class_name=c)
    labels = states or {c: ("0", "1"), a: (0, 1, 2), b: (False, True)}
    rng = np.random.default_rng(0)
    shapes = {c: (2,), a: (2, 3), b: (3, 2, 2)}
    cpts = {node: rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for node, shape in shapes.items()}
    return bnlr.BayesianNetwork(structure, labels, cpts)


def small_network():
    structure = bnlr.Structure([("c", "é")], class_name="c")
    cpts = {"c": np.array([0.25, 0.75]), "é": np.array([[0.1, 0.9], [1.0, 0.0]])}
    return bnlr.BayesianNetwork(structure, {"c": ("no", "yes"), "é": (1.5, "2")}, cpts)


def typed(states):
    return {node: [(type(label), label) for label in labels] for node, labels in states.items()}


def assert_same(actual, expected):
    assert actual.structure == expected.structure
    assert actual.structure.edges == expected.structure.edges
    assert typed(actual.states) == typed(expected.states)
    for node in expected.structure.nodes:
        assert actual.cpts[node].tobytes() == expected.cpts[node].tobytes()


# Round trips


@given(net=strategies.networks(strategies.structures()))
def test_round_trip(net, tmp_path_factory):
    path = tmp_path_factory.mktemp("m") / "x.json"
    bnlr.save(net, path)
    assert_same(bnlr.load(path), net)


names = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=8))


@given(names=st.lists(names, min_size=3, max_size=3, unique=True), data=st.data())
def test_any_name_and_state_survives(names, data, tmp_path_factory):
    labels = st.one_of(
        names_or_empty,
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer()),
    )
    sizes = dict(zip(names, (2, 3, 2), strict=True))
    states = {
        node: tuple(data.draw(st.lists(labels, min_size=n, max_size=n, unique=True)))
        for node, n in sizes.items()
    }
    path = tmp_path_factory.mktemp("m") / "x.json"
    net = network(names, states)
    bnlr.save(net, str(path))
    assert_same(bnlr.load(str(path)), net)


names_or_empty = st.one_of(names, st.just(""))


@pytest.mark.parametrize(
    "labels", [("1", 1), (1, 2), (1.5, 2), (1.0, 2.0), (True, False), ("True", True), (-(2**70), 0)]
)
def test_states_keep_their_type(labels, tmp_path):
    states = {"c": labels, "a": (0, 1, 2), "b": ("x", "y")}
    bnlr.save(network(states=states), tmp_path / "x.json")
    assert typed(bnlr.load(tmp_path / "x.json").states) == typed(states)


def test_probabilities_are_exact(tmp_path):
    tiny = [5e-324, 1 - 5e-324, 0.1 + 0.2, 0.7 - 1e-17, 0.0, 1.0, 1 / 3, 2 / 3]
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("x", "y", "z", "u"), "a": (0, 1)}
    cpts = {"c": np.full(4, 0.25), "a": np.reshape(tiny, (4, 2))}
    net = bnlr.BayesianNetwork(structure, states, cpts)
    bnlr.save(net, tmp_path / "x.json")
    assert_same(bnlr.load(tmp_path / "x.json"), net)


def test_numpy_labels_become_plain(tmp_path):
    states = {"c": (np.int64(3), np.int64(4)), "a": (np.str_("u"), "v", "w"), "b": (0.5, 1.5)}
    bnlr.save(network(states=states), tmp_path / "x.json")
    assert typed(bnlr.load(tmp_path / "x.json").states) == {
        "c": [(int, 3), (int, 4)],
        "a": [(str, "u"), (str, "v"), (str, "w")],
        "b": [(float, 0.5), (float, 1.5)],
    }


def test_same_network_same_bytes(tmp_path):
    for name in ("x.json", "y.json"):
        bnlr.save(network(), tmp_path / name)
    assert (tmp_path / "x.json").read_bytes() == (tmp_path / "y.json").read_bytes()


# What cannot be saved


@pytest.mark.parametrize(
    ("label", "said"),
    [(("t",), "t"), (None, "None"), (frozenset(), "frozenset"), (10**2000, "digits")],
    ids=["tuple", "None", "set", "2,000 digits"],
)
def test_unwritable_state_is_refused(label, said, tmp_path):
    with pytest.raises(bnlr.ModelFileError, match=said):
        bnlr.save(network(states={"c": (label, "x"), "a": "uvw", "b": "xy"}), tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_text_that_would_not_read_back_is_refused(tmp_path):
    halves = "\ud83d" + "\ude00"  # two characters that JSON would read as one
    with pytest.raises(bnlr.ModelFileError, match="read back"):
        bnlr.save(network(states={"c": (halves, "x"), "a": "uvw", "b": "xy"}), tmp_path / "x.json")


@pytest.mark.parametrize("name", ["x", "x.txt", "x.json.gz"])
def test_model_must_be_named_json(name, tmp_path):
    with pytest.raises(bnlr.ModelFileError, match=r"end in \.json"):
        bnlr.save(network(), tmp_path / name)


@pytest.mark.parametrize("model", [None, 3, "x", {}, bnlr.Structure([], "c")])
def test_other_objects_are_refused(model, tmp_path):
    with pytest.raises(bnlr.ParameterError, match="BayesianNetwork"):
        bnlr.save(model, tmp_path / "x.json")


def test_a_fit_result_is_refused_with_the_remedy(tmp_path):
    class Result:
        network = network()

    with pytest.raises(bnlr.ParameterError, match="save its network"):
        bnlr.save(Result(), tmp_path / "x.json")


@pytest.mark.parametrize("path", [3, None, b"x.json", ["x.json"]])
def test_path_must_be_a_path(path):
    with pytest.raises(bnlr.ParameterError, match="path"):
        bnlr.save(network(), path)
    with pytest.raises(bnlr.ParameterError, match="path"):
        bnlr.load(path)


# How a file is replaced


def test_missing_folder_and_missing_file(tmp_path):
    with pytest.raises(bnlr.ModelFileError, match=r"cannot write .*there is no folder"):
        bnlr.save(network(), tmp_path / "none" / "x.json")
    with pytest.raises(bnlr.ModelFileError, match=r"cannot read .*No such file"):
        bnlr.load(tmp_path / "none.json")
    with pytest.raises(bnlr.ModelFileError, match="null byte"):
        bnlr.load("nul\0.json")


def test_a_small_file_takes_little_memory(tmp_path):
    bnlr.save(network(), tmp_path / "x.json")
    bnlr.load(tmp_path / "x.json")
    tracemalloc.start()
    bnlr.load(tmp_path / "x.json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**23


def test_folder_and_device_are_no_files(tmp_path):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "device.json").symlink_to("/dev/null")
    for name in ("folder.json", "device.json"):
        with pytest.raises(bnlr.ModelFileError, match="not a regular file"):
            bnlr.save(network(), tmp_path / name)
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file(broken, tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    path.write_text("old")

    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if broken == "fsync" else (type(path), "replace")), fail)
    with pytest.raises(bnlr.ModelFileError, match="No space left"):
        bnlr.save(network(), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_a_link_keeps_pointing_at_the_file(tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    bnlr.save(network(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert_same(bnlr.load(tmp_path / "real.json"), network())


def test_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    bnlr.save(network(), tmp_path / "x.json")
    assert (tmp_path / "x.json").stat().st_mode == (tmp_path / "usual").stat().st_mode


# Damage


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "x.json"
    bnlr.save(small_network(), path)
    return path.read_bytes()


@pytest.mark.slow
def test_every_truncation_is_refused(saved, tmp_path):
    path = tmp_path / "x.json"
    for length in range(len(saved)):
        path.write_bytes(saved[:length])
        with pytest.raises(bnlr.ModelFileError, match=r"x\.json"):
            bnlr.load(path)


@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80])
def test_changed_bytes_are_refused(flip, saved, tmp_path):
    path = tmp_path / "x.json"
    for place in range(flip % 3, len(saved), 3):
        raw = bytearray(saved)
        raw[place] ^= flip
        path.write_bytes(raw)
        with pytest.raises(bnlr.ModelFileError, match=r"x\.json"):
            bnlr.load(path)


def test_a_changed_number_is_called_a_change(saved, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(saved.replace(b"0.", b"0.0", 1))
    with pytest.raises(bnlr.ModelFileError, match="changed or damaged after it was saved"):
        bnlr.load(path)


def test_additions_are_refused(saved, tmp_path):
    path = tmp_path / "x.json"
    for raw in (saved + b" ", b" " + saved, saved + saved, b"\xef\xbb\xbf" + saved):
        path.write_bytes(raw)
        with pytest.raises(bnlr.ModelFileError):
            bnlr.load(path)


# Hostile files with a right hash


def sign(content, path, version=1, kind="network", form="bnlr"):
    text = json.dumps(content, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(
        f'{{"format":"{form}","version":{version},"kind":"{kind}","sha256":"{digest}",'
        f'"content":{text}}}\n'
    )
    return path


def test_signing_by_hand_is_what_save_writes(saved, tmp_path):
    content = network_to_content(small_network())
    assert sign(content, tmp_path / "x.json").read_bytes() == saved


def changed(edit):
    content = json.loads(json.dumps(network_to_content(network())))
    edit(content)
    return content


def put(*keys_and_value):
    *keys, last, value = keys_and_value

    def edit(content):
        for key in keys:
            content = content[key]
        content[last] = value

    return edit


def drop(key):
    return lambda content: content.pop(key)


HOSTILE_CONTENT = {
    "no states": (drop("states"), "lacks 'states'"),
    "extra field": (put("code", "import os"), "unknown field 'code'"),
    "cycle": (put("edges", [["c", "a"], ["a", "c"]]), "cycle"),
    "arc of three": (put("edges", [["c", "a", "b"]]), r"edges\[0\]"),
    "arc of numbers": (put("edges", [[1, 2]]), r"edges\[0\]\[0\]"),
    "edges no list": (put("edges", "ab"), "edges must be a list"),
    "class unknown": (put("class", "z"), "'z'"),
    "class no text": (put("class", 3), "class must be text"),
    "class null": (put("class", None), "which node is the class"),
    "nodes repeated": (put("nodes", ["c", "c"]), "twice"),
    "empty name": (put("nodes", ["c", "a", "b", ""]), "empty name"),
    "one state twice": (put("states", "a", [0, 0, 1]), "twice"),
    "one and one": (put("states", "a", [1, 1.0, 2]), "twice"),
    "null state": (put("states", "a", [None, 1, 2]), "None"),
    "list state": (put("states", "a", [[], 1, 2]), r"\[\]"),
    "state text": (put("states", "a", "abc"), r"states\['a'\]"),
    "no state": (put("states", "a", []), "no states"),
    "states of another": (put("states", "z", [1]), "'z'"),
    "cpt of another": (put("cpts", "z", {}), "'z'"),
    "cpt no object": (put("cpts", "a", [1]), r"cpts\['a'\]"),
    "axes in another order": (put("cpts", "b", "axes", ["c", "a", "b"]), "axes"),
    "shape transposed": (put("cpts", "b", "shape", [2, 3, 2]), "shape"),
    "shape of booleans": (put("cpts", "c", "shape", [True]), "shape"),
    "shape huge": (put("cpts", "a", "shape", [10**6, 10**6]), "shape"),
    "too few values": (put("cpts", "c", "values", [1.0]), "values"),
    "values nested": (put("cpts", "c", "values", [[0.5], [0.5]]), r"values\[0\]"),
    "value text": (put("cpts", "c", "values", ["0.5", 0.5]), r"values\[0\]"),
    "value boolean": (put("cpts", "c", "values", [False, True]), r"values\[0\]"),
    "value null": (put("cpts", "c", "values", [None, 1.0]), r"values\[0\]"),
    "negative": (put("cpts", "c", "values", [-0.5, 1.5]), r"values\[0\]"),
    "huge whole number": (put("cpts", "c", "values", [10**400, 0.5]), r"values\[0\]"),
    "sum of 1.1": (put("cpts", "c", "values", [0.6, 0.5]), "sums to 1.1"),
}


@pytest.mark.parametrize("name", HOSTILE_CONTENT)
def test_signed_hostile_content_is_refused(name, tmp_path):
    edit, said = HOSTILE_CONTENT[name]
    path = sign(changed(edit), tmp_path / "x.json")
    with pytest.raises(bnlr.ModelFileError, match=said) as caught:
        bnlr.load(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.slow
def test_claimed_shapes_are_not_believed(tmp_path):
    """A thousand parents of a hundred states: 10^2000 cells that nothing must allocate."""
    nodes = [f"n{k}" for k in range(1000)]
    states = {node: list(range(100)) for node in nodes}
    edges = [[parent, "n0"] for parent in nodes[1:]]
    cpts = {n: {"axes": [n], "shape": [100], "values": [0.01] * 100} for n in nodes[1:]}
    cpts["n0"] = {"axes": [*nodes[1:], "n0"], "shape": [100] * 1000, "values": [1.0]}
    content = {"class": "n0", "nodes": nodes, "edges": edges, "states": states, "cpts": cpts}
    with pytest.raises(bnlr.ModelFileError, match=r"cpts\['n0'\].values holds 1 numbers"):
        content_to_network(content)


@pytest.mark.parametrize("content", [None, [], 3, "x", {}])
def test_content_must_be_an_object(content):
    with pytest.raises(bnlr.ModelFileError):
        content_to_network(content)


def test_envelope_is_checked(tmp_path):
    content, path = network_to_content(network()), tmp_path / "x.json"
    for options, said in [
        ({"form": "other"}, "not a bnlr model"),
        ({"version": 2}, "version 2"),
        ({"version": "true"}, "version True"),
        ({"version": "1.0"}, "changed|version"),
        ({"kind": "spaceship"}, "spaceship"),
    ]:
        sign(content, path, **options)
        with pytest.raises(bnlr.ModelFileError, match=said):
            bnlr.load(path)
    for text in ("[]", "3", "null", '"x"', "{}", '{"format":"bnlr"}', ""):
        path.write_text(text)
        with pytest.raises(bnlr.ModelFileError, match=r"x\.json"):
            bnlr.load(path)


# Documents of other kinds


class Estimator:
    _document_kind = "classifier"

    def _to_content(self):
        return {"network": network_to_content(network()), "options": {"penalty": 0.5}}


def test_an_object_that_writes_itself(tmp_path):
    path = tmp_path / "x.json"
    bnlr.save(Estimator(), path)
    kind, content = read_document(path, kind="classifier")
    assert kind == "classifier"
    assert content == Estimator()._to_content()
    assert_same(content_to_network(content["network"]), network())


def test_the_wrong_loader_names_the_right_one(tmp_path):
    bnlr.save(Estimator(), tmp_path / "x.json")
    with pytest.raises(bnlr.ModelFileError, match=r"BNClassifier\.load"):
        bnlr.load(tmp_path / "x.json")
    bnlr.save(network(), tmp_path / "y.json")
    with pytest.raises(bnlr.ModelFileError, match=r"bnlr\.load"):
        read_document(tmp_path / "y.json", kind="classifier")


def test_unknown_kind_is_not_written(tmp_path):
    with pytest.raises(bnlr.ModelFileError, match="spaceship"):
        write_document("spaceship", {}, tmp_path / "x.json")


@pytest.mark.parametrize("content", [{"a": (1, 2)}, {1: "a"}, {"a": {1}}, {"a": float("nan")}])
def test_content_that_json_cannot_carry_is_refused(content, tmp_path):
    with pytest.raises(bnlr.ModelFileError):
        write_document("classifier", content, tmp_path / "x.json")


# Loading does nothing but read


@pytest.mark.slow
def test_loading_opens_no_other_file_and_no_socket(tmp_path):
    bnlr.save(network(), tmp_path / "x.json")
    program = """
        import sys, bnlr
        path = sys.argv[1]
        bnlr.load(path)  # imports what it needs
        seen = []
        watched = ("open", "os.", "socket.", "exec", "compile", "import", "subprocess.", "ctypes.")
        def hook(event, args):
            if event.startswith(watched):
                seen.append((event, args))
        sys.addaudithook(hook)
        net = bnlr.load(path)
        print([event for event, args in seen], [args[0] == path for event, args in seen])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), tmp_path / "x.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['open'] [True]"


def places(value, path=()):
    """Every place in parsed JSON."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from places(inner, (*path, key))


ODD = [None, True, 0, -1, 1.0, 10**18, 1e308, -0.0, "", "c", "\0", [], [[]], [0.5], {}, {"c": []}]


def mutated(content, rng):
    """One to three places replaced by odd values, by each other, or left out."""
    content = json.loads(json.dumps(content))
    for _ in range(rng.integers(1, 4)):
        where = list(places(content))[1:]
        *path, last = where[rng.integers(len(where))]
        holder = content
        for key in path:
            holder = holder[key]
        action = rng.integers(3)
        if action == 0:
            holder[last] = ODD[rng.integers(len(ODD))]
        elif action == 1:
            del holder[last]
        else:
            other = where[rng.integers(len(where))]
            source = content
            for key in other:
                source = source[key]
            holder[last] = json.loads(json.dumps(source))
    return content


@pytest.mark.slow
def test_mutated_content_is_a_valid_network_or_refused(tmp_path):
    rng, original = np.random.default_rng(0), network_to_content(network())
    n_refused = 0
    for _ in range(400):
        path = sign(mutated(original, rng), tmp_path / "x.json")
        try:
            net = bnlr.load(path)
        except bnlr.ModelFileError:
            n_refused += 1
        else:
            # What is accepted is a network: it saves, and its CPTs are distributions.
            bnlr.save(net, tmp_path / "again.json")
            for cpt in net.cpts.values():
                np.testing.assert_allclose(cpt.sum(axis=-1), 1.0, atol=1e-6)
    assert 250 < n_refused < 400


def test_a_network_larger_than_is_read_back_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("bnlr.io.files.MAX_BYTES", 100)
    structure = bnlr.Structure([("c", "a")], class_name="c")
    cpts = {"c": np.array([0.5, 0.5]), "a": np.full((2, 2), 0.5)}
    network = bnlr.BayesianNetwork(structure, dict.fromkeys("ac", (0, 1)), cpts)
    with pytest.raises(bnlr.ModelFileError, match="merge states or remove arcs"):
        bnlr.save(network, tmp_path / "n.json")
    assert list(tmp_path.iterdir()) == []


def test_a_file_too_large_for_a_model_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("bnlr.io.files.MAX_BYTES", 100)
    (tmp_path / "n.json").write_bytes(b" " * 101)
    with pytest.raises(bnlr.ModelFileError, match="larger than 0 MiB, which no model file is"):
        bnlr.load(tmp_path / "n.json")


# What killed processes leave


def killed_while_saving(folder):
    """End a process that has begun to write, as kill -9 does."""
    code = f"""
        import os, signal
        from pathlib import Path
        from bnlr.io.files import replacing
        with replacing(Path({str(folder / "x.json")!r})) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)


@pytest.mark.slow
def test_the_next_save_removes_what_a_killed_one_left(tmp_path):
    killed_while_saving(tmp_path)
    (left,) = tmp_path.iterdir()
    others = [".x.json.0123456.bnlr-tmp", "x.json.01234567.bnlr-tmp", ".x.json.01234567.tmp"]
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    bnlr.save(network(), tmp_path / "y.json")
    assert not left.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([*others, "y.json"])


def test_a_save_that_is_going_on_is_left_alone(tmp_path):
    with replacing(tmp_path / "x.json") as file:
        file.write(b"whole")
        bnlr.save(network(), tmp_path / "y.json")
        assert len(list(tmp_path.iterdir())) == 2
    assert (tmp_path / "x.json").read_bytes() == b"whole"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.json", "y.json"]


def test_remedies_of_models_can_be_taken(tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes('{"format": "bnlr", "note": "é"}'.encode("latin-1"))
    with pytest.raises(bnlr.ModelFileError, match="changed since; save the model again"):
        bnlr.load(path)
    with pytest.raises(bnlr.ModelFileError, match=r"a network in \.bif is read by bnlr\.load"):
        bnlr.BNClassifier.load(tmp_path / "m.bif.gz")
