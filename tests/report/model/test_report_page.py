"""The page of a model: what it says, that it needs nothing else, and hostile names in it."""

import base64
import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import bnlr
from bnlr.network.column_contributions import mean_sizes
from bnlr.network.main_effects import main_effect
from bnlr.report.model import Evaluation, report_page
from bnlr.report.model.importance import losses_permuted, losses_without
from bnlr.report.plots.drawing import svg_of
from bnlr.report.plots.structure import plot_structure
from tests.report.html.test_pages import Reader

EVIL = '<script>alert("class")</script>'
NAMES = [
    "<img src=x onerror=alert(1)>",
    "two\nlines",
    "שלום",
    "`t` {0} %s $x$ \\",
    "a\"q's&amp;",
    "p",
]


def evil(n=60, missing=0.1):
    """A fitted network that is not perfect, and rows, with names and states of all kinds."""
    arcs = [(EVIL, name) for name in NAMES[:5]] + [(NAMES[5], NAMES[0]), (NAMES[2], NAMES[0])]
    structure = bnlr.Structure(arcs, EVIL)
    rng = np.random.default_rng(0)
    labels = ["<b>", "no & yes", "</td>", "}{"]
    frame = pd.DataFrame({node: rng.choice(labels, n) for node in structure.nodes})
    result = bnlr.fit(structure, bnlr.Dataset.from_frame(frame, EVIL), penalty=1.0, max_iter=5)
    holed = frame.mask(rng.random(frame.shape) < missing)
    rows = bnlr.Dataset.from_frame(holed, EVIL, result.network.states)
    return Evaluation(
        result.network, rows, result, {EVIL: EVIL}, [EVIL], {EVIL: EVIL, "command": EVIL}
    )


def example(rows=200, **fields):
    frame = bnlr.load_dataset("tic-tac-toe").iloc[::4][:rows]
    data = bnlr.Dataset.from_frame(frame, "class")
    result = bnlr.fit(bnlr.learn_structure(data), data, penalty=1.0)
    return Evaluation(result.network, data, result, **fields)


@pytest.fixture(scope="module")
def evaluation():
    return example()


@pytest.fixture(scope="module")
def text(evaluation):
    return report_page(evaluation)


@pytest.fixture(scope="module")
def of_fresh_rows(evaluation):
    """The page of rows that were not fitted to, some of them explained."""
    fresh = evaluation.data.take(slice(0, 99))
    return report_page(Evaluation(evaluation.network, fresh, evaluation.result), rows=[3, 1, 3])


@pytest.fixture(scope="module")
def hostile():
    """The page of a network and rows whose names are traps."""
    return report_page(evil(), EVIL, rows=[1, 2])


def plain(text):
    return " ".join("".join(Reader(text).texts).split())


def check_stands_alone(text):
    """No script, no reference to anything but itself, and well-formed."""
    reader = Reader(text)
    assert not {"script", "link", "iframe", "object", "base", "form"} & set(reader.tags)
    assert not {name for _, name, _ in reader.attributes if name.startswith("on")}
    ids = {value for _, name, value in reader.attributes if name == "id"}
    for _, name, value in reader.attributes:
        if name in ("href", "src"):
            assert value.startswith(("#", "data:image/svg+xml;base64,"))
            assert value[0] != "#" or value[1:] in ids
    assert "url(" not in text
    assert "default-src 'none'" in reader.all("meta", "content")[1]
    for picture in pictures(reader):
        assert not re.search(rb"<script|href=\"(?!#)|url\((?!#)|<image", picture)
    return reader


def pictures(reader):
    return [base64.b64decode(source.split(",", 1)[1]) for source in reader.all("img", "src")]


class TestPage:
    def test_stands_alone_with_titles_and_alternative_texts(self, text):
        reader = check_stands_alone(text)
        assert (
            reader.tags.count("h1") == reader.tags.count("title") == reader.tags.count("main") == 1
        )
        assert len(reader.all("img", "alt")) == reader.tags.count("img") == 11
        assert all(len(alt) > 20 for alt in reader.all("img", "alt"))
        assert reader.tags.count("table") == reader.tags.count("caption")
        assert reader.tags.count("figure") == reader.tags.count("figcaption")

    def test_hostile_names_are_text_wherever_they_stand(self, hostile):
        reader = check_stands_alone(hostile)
        assert not any(value == "alert(1)" for _, _, value in reader.attributes)
        shown = "".join(reader.texts)
        for name in (EVIL, NAMES[0], "two\\nlines", NAMES[2], NAMES[3], NAMES[4]):
            assert name in shown
        assert b"onerror=alert(1)&gt;" in b"".join(pictures(reader)).replace(b"\n", b"")

    def test_letters_of_pictures_stay_text(self, text):
        drawings = pictures(Reader(text))
        assert all(b"<text" in drawing for drawing in drawings)
        assert b"top-left-square" in b"".join(drawings)

    @pytest.mark.slow
    def test_glyphs_that_no_font_here_has_are_no_concern(self, recwarn):
        s = bnlr.Structure.naive_bayes(["\U0001f9a0"], "c")
        axes = plot_structure(s)
        assert "\U0001f9a0" in svg_of(axes).decode("utf-8")
        assert [w for w in recwarn if "Glyph" in str(w.message)] == []

    @pytest.mark.slow
    def test_same_evaluation_gives_the_same_bytes(self, text):
        assert report_page(example()) == text

    def test_scores_are_scikit_learn_s(self, evaluation, text):
        codes, shares = evaluation.data.class_codes, evaluation.probabilities
        shown = plain(text)
        assert f"log-loss{metrics.log_loss(codes, shares):.4f}" in shown.replace(" ", "")
        assert f"{metrics.brier_score_loss(codes, shares[:, 1]):.4f}" in shown
        assert f"{metrics.accuracy_score(codes, shares.argmax(axis=1)):.1%}" in shown
        share = np.bincount(codes) / len(codes)
        assert f"base rates {-(share * np.log(share)).sum():.4f}" in shown
        for c in range(2):
            assert f"{metrics.roc_auc_score(codes == c, shares[:, c]):.4f}" in shown

    def test_effects_of_the_attributes_that_matter_most(self, evaluation, text):
        alts = [alt for alt in Reader(text).all("img", "alt") if alt.startswith("Effect of")]
        first = list(losses_permuted(evaluation.opinions))[:6]
        assert alts == [f"Effect of {name} on the log-odds of class" for name in first]
        odds = main_effect(evaluation.network, first[0]) @ [-1.0, 1.0]
        low, high = (f"{value:+.2f}".replace("-", "−") for value in (odds.min(), odds.max()))
        shown = plain(text)
        states = evaluation.network.states[first[0]]
        least, most = states[odds.argmin()], states[odds.argmax()]
        assert f"{first[0]}: {low} if {least}, {high} if {most}." in shown

    def test_attributes_have_all_three_measures(self, evaluation, text):
        cells = [re.sub(r"<[^>]*>", "", row) for row in re.findall(r"<tr>.*?</tr>", text)]
        measures = [f(evaluation.opinions) for f in (losses_permuted, losses_without)]
        names = evaluation.network.structure.attributes
        adds = dict(zip(names, mean_sizes(evaluation.opinions, names), strict=True))
        for name in names:
            rises = "".join(f"{round(found[name], 4) + 0.0:+.4f}" for found in measures)
            assert f"{name}{rises.replace('-', '−')}{adds[name]:.3f}" in cells

    def test_what_matters_comes_before_how_it_was_made(self, text):
        titles = re.findall(r"<h2 [^>]*>(.*?)</h2>", text)
        assert titles[:5] == [
            "In short",
            "Which attributes matter",
            "How well it predicts these rows",
            "Where it errs",
            "Single rows",
        ]
        assert titles[5:7] == ["The model", "How it was fitted"]

    def test_confusion_matrix_and_figures_of_classes(self, evaluation, text):
        codes, predicted = evaluation.data.class_codes, evaluation.probabilities.argmax(axis=1)
        (none, some), (few, many) = metrics.confusion_matrix(codes, predicted)
        cells = [re.sub(r"<[^>]*>", "", row) for row in re.findall(r"<tr>.*?</tr>", text)]
        assert f"negative{none}{some}" in cells
        assert f"positive{few}{many}" in cells
        recall = metrics.recall_score(codes, predicted)
        precision = metrics.precision_score(codes, predicted)
        (line,) = [cell for cell in cells if cell.startswith("positive") and "%" in cell]
        assert f"{recall:.1%}{precision:.1%}" in line

    @pytest.mark.slow
    def test_rows_of_the_fit_are_recognised(self, of_fresh_rows, text):
        assert "These are the rows that the model was fitted to" in text
        assert "These are the rows that the model was fitted to" not in of_fresh_rows

    def test_fit_and_verdict_are_told(self, evaluation, text):
        shown = plain(text)
        assert "is convex: the network is a logistic regression" in shown
        result = evaluation.result
        assert f"{result.start_cll:,.4f} → {result.cll:,.4f}".replace("-", "−") in shown
        assert result.message.split(".")[0] in shown

    @pytest.mark.slow
    def test_separation_is_told_once(self):
        rows = bnlr.Dataset.from_frame(
            pd.DataFrame({"a": ["x", "y"] * 5, "c": ["u", "v"] * 5}), "c"
        )
        with pytest.warns(bnlr.SeparationWarning):
            result = bnlr.fit(bnlr.Structure.naive_bayes(["a"], "c"), rows)
        shown = plain(report_page(Evaluation(result.network, rows, result)))
        assert shown.count("No finite optimum (complete separation)") == 1
        assert "−0.0000" not in shown

    def test_violations_and_the_arcs_that_mend_them_are_listed(self, hostile):
        shown = plain(hostile)
        assert "What breaks convexity" in shown
        assert "With these arcs it would be convex" in shown
        assert "tried on 60 rows. Learning it is not convex" in shown

    def test_missing_cells_and_notes_are_told(self, text, hostile):
        shown = plain(hostile)
        worst = max(evil().data.missing_counts.values())
        assert f"{worst}{worst / 60:.1%}" in shown.replace(" ", "")
        assert EVIL in shown.split("The rows")[-1]
        assert "No cell is missing" in plain(text)

    def test_tables_hold_the_cpts(self, evaluation, text):
        cpt = evaluation.network.cpts["class"]
        assert all(f"{p:.4f}" in text for p in cpt)
        assert text.count("<details>") == 1 + len(evaluation.network.structure.attributes)

    @pytest.mark.slow
    def test_origin_is_told_and_no_date(self):
        text = report_page(example(40, origin={"command": "bnlr report 'a b'", "bnlr": "9.9"}))
        assert "<pre><code>bnlr report &#x27;a b&#x27;</code></pre>" in text
        assert "<td>9.9</td>" in text


class TestRows:
    @pytest.mark.slow
    def test_asked_rows_are_explained_and_no_others(self, evaluation, of_fresh_rows):
        reader = Reader(of_fresh_rows)
        alts = [alt for alt in reader.all("img", "alt") if alt.startswith("Contributions")]
        assert [alt.split(",")[0].split()[-1] for alt in alts] == ["3", "1"]
        net, data = evaluation.network, evaluation.data
        best = net.predict_proba(data)[2].max()
        assert f"with the probability {best:.4f}" in "".join(reader.texts)

    def test_telling_rows_are_the_extremes(self, evaluation, text):
        shares, codes = evaluation.probabilities, evaluation.data.class_codes
        gap = np.abs(shares[:, 1] - shares[:, 0])
        own = np.where(shares.argmax(axis=1) != codes, shares[np.arange(len(codes)), codes], 2)
        shown = plain(text)
        assert f"Row {gap.argmax() + 1}, the most certain" in shown
        assert f"Row {gap.argmin() + 1}, the least certain" in shown
        assert f"Row {own.argmin() + 1}, the most wrong" in shown

    @pytest.mark.parametrize("row", [0, 201, -1, 1.0, True, "1", None])
    def test_a_row_that_is_none_is_refused(self, evaluation, row):
        with pytest.raises(bnlr.ParameterError, match="from 1 to 200"):
            report_page(evaluation, rows=[row])

    def test_too_many_rows_are_refused(self, evaluation):
        with pytest.raises(bnlr.ParameterError, match="51 rows were asked for; ask for 50"):
            report_page(evaluation, rows=range(1, 52))


class TestCorners:
    @pytest.mark.slow
    def test_rows_without_a_class_are_only_predicted(self, evaluation):
        codes = np.array(evaluation.data.codes)
        codes[:, evaluation.data.nodes.index("class")] = -1
        blind = bnlr.Dataset.from_codes(codes, evaluation.data.states, "class")
        shown = plain(report_page(Evaluation(evaluation.network, blind, evaluation.result)))
        assert "No row has a class that the model knows" in shown
        assert "the most certain" in shown
        assert "the most wrong" not in shown
        assert "Which attributes matter" not in shown

    @pytest.mark.slow
    def test_one_row_and_one_class_seen(self, evaluation):
        one = report_page(Evaluation(evaluation.network, evaluation.data.take([0])))
        check_stands_alone(one)
        assert "nan" not in plain(one).lower()
        assert "The file holds the network alone" in one

    @pytest.mark.slow
    def test_a_class_of_one_state_and_no_attribute(self):
        net = bnlr.BayesianNetwork(
            bnlr.Structure([], "c", nodes=["c"]), {"c": ("only",)}, {"c": np.array([1.0])}
        )
        data = bnlr.Dataset.from_codes([[0], [0]], {"c": ("only",)}, "c")
        text = report_page(Evaluation(net, data))
        check_stands_alone(text)
        assert "0 attributes" in plain(text)

    @pytest.mark.slow
    def test_impossible_classes_give_an_infinite_loss_and_no_nan(self):
        s = bnlr.Structure([("c", "a")], "c")
        cpts = {"c": np.array([0.5, 0.5]), "a": np.array([[0.0, 1.0], [0.5, 0.5]])}
        net = bnlr.BayesianNetwork(s, {"c": ("x", "y"), "a": (0, 1)}, cpts)
        data = bnlr.Dataset.from_codes([[0, 0], [1, 1]], {"c": ("x", "y"), "a": (0, 1)}, "c")
        shown = plain(report_page(Evaluation(net, data)))
        assert "The log-loss is infinite" in shown
        assert "nan" not in shown.lower()

    @pytest.mark.slow
    def test_many_classes_get_a_list_of_mistakes(self):
        labels = tuple(f"k{c}" for c in range(15))
        s = bnlr.Structure([("c", "a")], "c")
        rng = np.random.default_rng(0)
        cpts = {"c": np.full(15, 1 / 15), "a": rng.dirichlet(np.ones(4), 15)}
        net = bnlr.BayesianNetwork(s, {"c": labels, "a": (0, 1, 2, 3)}, cpts)
        codes = np.column_stack([rng.integers(0, 15, 300), rng.integers(0, 4, 300)])
        data = bnlr.Dataset.from_codes(codes, {"c": labels, "a": (0, 1, 2, 3)}, "c")
        text = report_page(Evaluation(net, data))
        counts = metrics.confusion_matrix(codes[:, 0], net.predict_proba(data).argmax(axis=1))
        np.fill_diagonal(counts, 0)
        rows = text.split("The most frequent mistakes")[-1].split("</table>")[0]
        assert f'<td class="n">{counts.max()}</td>' in rows
        assert rows.count("<tr>") == 16

    def test_rows_with_weights_are_refused(self, evaluation):
        data = bnlr.Dataset.from_codes(
            evaluation.data.codes, evaluation.data.states, "class", np.ones(evaluation.data.n_rows)
        )
        with pytest.raises(bnlr.ParameterError, match="the rows have weights"):
            Evaluation(evaluation.network, data)

    @pytest.mark.slow
    def test_large_tables_are_left_out_and_counted(self):
        s = bnlr.Structure([("c", "a"), ("b", "a"), ("c", "b")], "c")
        states = {"c": (0, 1), "a": tuple(range(9)), "b": tuple(range(9))}
        cpts = {
            n: np.full([len(states[p]) for p in (*s.parents(n), n)], 1 / len(states[n]))
            for n in s.nodes
        }
        net = bnlr.BayesianNetwork(s, states, cpts)
        data = bnlr.Dataset.from_codes([[0, 1, 2]], {n: states[n] for n in "cab"}, "c")
        assert "1 table left out: those of more than 120 cells" in plain(
            report_page(Evaluation(net, data))
        )


def test_probabilities_in_the_captions_are_finite_numbers(text):
    found = re.findall(r"with the probability ([\d.]+)", plain(text))
    assert len(found) == 3
    assert all(math.isfinite(float(number.rstrip("."))) for number in found)


@pytest.mark.slow
def test_numbers_that_were_not_cut_have_a_line_and_no_empty_picture(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    frame = pd.DataFrame(
        {"a": np.where(rng.random(400) < 0.2, 1 - y, y).astype(str), "b": rng.random(400),
         "<c>": rng.random(400)}
    )  # fmt: skip
    frame.loc[:39, "b"] = np.nan
    classifier = bnlr.BNClassifier("naive-bayes", discretize="mdl", penalty=1.0).fit(frame, y)
    assert [len(classifier.network_.states[name]) for name in frame] == [2, 1, 1]
    bnlr.write_report(classifier, frame, tmp_path / "r.html", y)
    page = (tmp_path / "r.html").read_text("utf-8")
    flat = "<bdi>b</bdi>, <bdi>&lt;c&gt;</bdi>: nothing is added, whatever their values."
    assert flat in page or flat.replace("<bdi>b</bdi>, <bdi>&lt;c&gt;</bdi>",
                                        "<bdi>&lt;c&gt;</bdi>, <bdi>b</bdi>") in page  # fmt: skip
    assert "Effect of a on" in page
    assert "Effect of b on" not in page
    assert "= <bdi>(-inf, inf)</bdi>" not in page
