"""Columns that are not what they are taken for: found, named with row and remedy, and no others.

What is said of a column of numbers is compared with what `pandas.to_numeric` makes of its cells.
"""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.suspects.find import find_suspects
from bnlr.errors import BnlrWarning, DataError

SHARED = Path(__file__).resolve().parents[4] / "shared"
TOKENS = (
    *("n/a", "NULL", "--", ".", " ", "1,5", "1.234,5", "12%", "$5", "1e3x", "∞", "#N/A", "inf"),
    *("?", "-", "<0.01", "#DIV/0!", "unknown", "None", "12 000", "1'234", "> 3", "see note"),
)
CLASSES = np.array(["no", "yes"])
FORMS = {
    "object": lambda cells: pd.Series(cells, dtype=object),
    "str": lambda cells: pd.Series(cells, dtype=str),
    "string": lambda cells: pd.Series(cells, dtype="string"),
    "Arrow": lambda cells: pd.Series(cells, dtype="string[pyarrow]"),
    "category": lambda cells: pd.Series(cells, dtype=object).astype("category"),
}


def told(frame, act=None):
    """The texts of all warnings of bnlr's own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if act is None:
            bnlr.Dataset.from_frame(frame, "class")
        else:
            act(frame)
    return [str(one.message) for one in caught if issubclass(one.category, BnlrWarning)]


def with_class(rng, **columns):
    n_rows = len(next(iter(columns.values())))
    return pd.DataFrame(columns).assign(**{"class": CLASSES[rng.integers(0, 2, n_rows)]})


def measured(rng, n_rows, kind):
    """Numbers as they are written in files; enough of them are different."""
    if kind == "decimals":
        return [f"{x:.3f}" for x in rng.normal(size=n_rows)]
    if kind == "powers":
        return [f"{x:.2e}" for x in rng.lognormal(size=n_rows)]
    return [str(x) for x in rng.permutation(9 * n_rows)[:n_rows]]


@st.composite
def spoilt(draw):
    """A column of numbers, some cells of which are texts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.sampled_from([20, 21, 60, 300, 1000]))
    cells = measured(rng, n_rows, draw(st.sampled_from(["decimals", "powers", "whole"])))
    tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=min(8, n_rows // 10)))
    places = rng.permutation(n_rows)[: len(tokens)]
    places[0] = draw(st.sampled_from([0, n_rows // 2, n_rows - 1, int(places[0])]))
    for place, token in zip(places, tokens, strict=True):
        cells[place] = token
    return rng, cells


@given(spoilt(), st.sampled_from(list(FORMS)))
def test_texts_among_numbers_are_named_with_their_rows(column, form):
    rng, cells = column
    (text,) = told(with_class(rng, v=FORMS[form](cells)))
    plain = pd.to_numeric(pd.Series(cells), errors="coerce")
    strange = pd.Series(cells)[~np.isfinite(plain)].drop_duplicates()
    shown = [f"{cell!r} (row {row})" for row, cell in strange.items()][:4]
    more = f" and {len(strange) - 4} more" if len(strange) > 4 else ""
    assert text == (
        f"column 'v' holds numbers but for {', '.join(shown)}{more}, so that all its cells are "
        "taken for labels; mend these, or make them missing: "
        "pandas.to_numeric(frame['v'], errors='coerce')"
    )


@given(st.integers(0, 2**32), st.sampled_from([20, 60, 1000]), st.sampled_from(list(FORMS)))
def test_numbers_without_a_text_are_named_as_such(seed, n_rows, form):
    rng = np.random.default_rng(seed)
    for kind in ("decimals", "powers", "whole"):
        cells = measured(rng, n_rows, kind)
        texts = told(with_class(rng, v=FORMS[form](cells)))
        assert len(texts) == 1
        assert texts[0].startswith(
            f"column 'v' holds numbers as text, such as {cells[0]!r} (row 0)"
        )
        assert "pandas.to_numeric" in texts[0]


PADDED = {
    "right": lambda k: f"{k:4d}",
    "left": lambda k: f"{k:<4d}",
    "middle": lambda k: f"{k:^9d}",
    "tabs": lambda k: f"\t{k}" + " " * (6 - len(str(k))),
    "signs": lambda k: str(k if k > 999 else -(k % 900 + 100)),
    "points": lambda k: f"{k % 90 + 10}.0",
}


@given(st.integers(0, 2**32), st.sampled_from(list(PADDED)))
def test_blanks_signs_and_points_make_no_codes(seed, form):
    """Blanks make one length of any numbers; codes are digits alone."""
    rng = np.random.default_rng(seed)
    values = [1, 9999, *rng.integers(100, 2000, 200).tolist()]
    cells = [PADDED[form](k) for k in values]
    (text,) = told(with_class(rng, v=cells))
    assert text.startswith("column 'v' holds numbers as text, such as ")
    codes = [f" {k} " for k in rng.integers(1000, 1060, 2000)]
    assert told(with_class(rng, v=codes)) == []


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_a_few_numbers_with_zeros_before_them_are_slips(seed, n_slips):
    """They are codes where the zeros fill up to a length, or where they are many."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(800)[:300].astype(str).astype(object)
    rows = np.sort(rng.permutation(300)[:n_slips])
    cells[rows] = [f"00{k}" for k in range(7, 7 + n_slips)]
    (text,) = told(with_class(rng, v=cells))
    shown = ", ".join(f"{cells[row]!r} (row {row})" for row in rows)
    assert f"column 'v' holds numbers but for {shown}, so that all" in text
    few = rng.integers(0, 60, 2000)
    filled = [f"{k:0{rng.integers(2, 5)}d}" for k in few]
    for codes in ([f"{k + 8:02d}" for k in few], [f"{k + 94:03d}" for k in few], filled):
        assert told(with_class(rng, v=codes)) == []


def test_the_fewest_numbers_and_any_share_of_slips():
    """Whole numbers of more than ten values would be cut, were it not for the texts."""
    rng = np.random.default_rng(2)
    for n_values, said in ((10, 0), (11, 1), (18, 1)):
        cells = [*map(str, range(n_values)), *rng.integers(0, n_values, 200).astype(str)]
        for slips in (["?"], ["n/a"] * 500, ["-", "unknown"] * 30):
            assert len(told(with_class(rng, v=[*cells, *slips]))) == said
    cells = [*map(str, range(18))] * 9
    assert told(with_class(rng, v=[*cells, "low"])) == told(with_class(rng, v=cells)) == []


MARKED = {
    "decimal commas": lambda x: f"{x:.2f}".replace(".", ","),
    "thousands": lambda x: f"{1000 * x:,.0f}",
    "per cent": lambda x: f"{x:.1f}%",
    "dollars": lambda x: f"${x:.2f}",
    "euros": lambda x: f"{x:.2f} €".replace(".", ","),
}


@pytest.mark.parametrize("mark", MARKED)
def test_numbers_with_marks_throughout(mark):
    rng = np.random.default_rng(3)
    cells = [MARKED[mark](x) for x in rng.uniform(1, 90, 200)]
    (text,) = told(with_class(rng, v=cells))
    assert text.startswith("column 'v' holds numbers as text, such as '")
    cells[50] = "n/a"
    assert len(told(with_class(rng, v=cells))) == 1


def test_several_columns_are_told_of_at_once():
    rng = np.random.default_rng(5)
    columns = {f"v{k}": measured(rng, 60, "decimals") for k in range(12)}
    for k, cells in enumerate(columns.values()):
        cells[k] = "?"
    texts = told(with_class(rng, **columns))
    assert len(texts) == 1
    assert "'?' (row 0 of 'v0'), '?' (row 1 of 'v1')" in texts[0]
    assert "'v7' and 4 more hold numbers but for" in texts[0]
    names = ", ".join(f"'v{k}'" for k in range(12))
    assert texts[0].endswith(f": frame[[{names}]].apply(pandas.to_numeric, errors='coerce')")


def test_where_decimal_commas_are_numbers_their_columns_are_told_of():
    rng = np.random.default_rng(8)
    cells = [f"{x:.2f}".replace(".", ",") for x in rng.uniform(1, 90, 60)]
    cells[20] = "1.5"  # of which a comma makes no other number
    with pytest.warns(BnlrWarning):
        data = bnlr.Dataset.from_frame(with_class(rng, v=[*cells, "?"]), "class")
    (beside,) = find_suspects(data, decimal_commas=True).beside
    assert (beside.node, beside.first) == ("v", {"?": 60})


def test_rows_without_weight_are_not_told_of():
    rng = np.random.default_rng(10)
    frame = with_class(rng, v=[*measured(rng, 60, "decimals"), "?"])
    weights = np.append(np.ones(60), 0.0)
    (text,) = told(frame, lambda frame: bnlr.Dataset.from_frame(frame, "class", weights=weights))
    assert "holds numbers as text" in text
    (text,) = told(frame)
    assert "but for '?'" in text


LABELS = {
    "codes": lambda rng, n: rng.choice(["1", "2", "3"], n),
    "ten codes": lambda rng, n: rng.integers(1, 11, n).astype(str),
    "codes and a text": lambda rng, n: rng.choice([*map(str, range(1, 13)), "low"], n),
    "postal codes": lambda rng, n: rng.choice([f"{k:05d}" for k in range(2100, 2160)], n),
    "postal codes without zeros": lambda rng, n: rng.choice([*map(str, range(90001, 90050))], n),
    "years": lambda rng, n: rng.integers(1950, 2011, n).astype(str),
    "stock codes": lambda rng, n: rng.choice(
        [f"{k}{'A' * (k % 9 == 0)}" for k in range(1000, 1050)], n
    ),
    "booleans as text": lambda rng, n: rng.choice(["True", "False"], n),
    "doses": lambda rng, n: rng.choice(["0.5", "1", "2.5", "none"], n),
    "grades": lambda rng, n: rng.choice(["A+", "A", "B", "C"], n),
    "ages": lambda rng, n: rng.choice([f"{k}-{k + 9}" for k in range(0, 200, 10)], n),
    "integers": lambda rng, n: rng.integers(0, 40, n),
    "a constant": lambda rng, n: rng.choice(["x"], n),
    "words": lambda rng, n: rng.choice([f"town {k}" for k in range(40)], n),
    "versions": lambda rng, n: rng.choice([f"1.{k}.2" for k in range(40)], n),
    "booleans beside text": lambda rng, n: rng.choice(
        np.array([True, False, *(f"town {k}" for k in range(40))], dtype=object), n
    ),
    "digits longer than numbers": lambda rng, n: rng.choice(
        ["1" * 401 + str(k) for k in range(40)], n
    ),
    "numbers beside texts": lambda rng, n: rng.choice(
        [f"{k}.5" for k in range(40)] + [f"town {k}" for k in range(40)], n
    ),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("form", ["as it is", "category"])
def test_labels_are_no_numbers(labels, form):
    rng = np.random.default_rng(7)
    cells = pd.Series(LABELS[labels](rng, 400))
    frame = with_class(rng, v=cells.astype("category") if form == "category" else cells)
    assert told(frame) == []


def test_mixed_objects_are_told_of_and_floats_beside_text_refused():
    rng = np.random.default_rng(9)
    whole = [*range(40), "n/a", *range(40, 60)]
    (text,) = told(with_class(rng, v=pd.Series(whole, dtype=object)))
    assert "'v' holds numbers but for 'n/a' (row 40)" in text
    both = [str(k) if k % 2 else k for k in range(60)]
    (text,) = told(with_class(rng, v=pd.Series(both, dtype=object)))
    assert "'v' holds numbers as text, such as '1' (row 1)" in text
    floats = [*rng.normal(size=40), "n/a", *rng.normal(size=20)]
    for act in (None, lambda frame: bnlr.BNClassifier().fit(frame[["v"]], frame["class"])):
        with pytest.raises(DataError, match=r"'v' holds numbers but for 'n/a' in row 40.*to_num"):
            told(with_class(rng, v=pd.Series(floats, dtype=object)), act)


IDENTIFIERS = {
    "names": lambda n: [f"name {k}" for k in range(n)],
    "row numbers": lambda n: list(range(n)),
    "padded": lambda n: [f"{k:07d}" for k in range(n)],
    "dates": lambda n: [f"{d:%Y-%m-%d}" for d in pd.date_range("2001-01-01", periods=n)],
    "few repeats": lambda n: [f"name {k if k % 9 else 0}" for k in range(n)],
    "categories": lambda n: pd.Series([f"name {k}" for k in range(n)], dtype="category"),
    "holes": lambda n: [f"name {k}" if k % 3 else None for k in range(n)],
}


@pytest.mark.parametrize("form", IDENTIFIERS)
@pytest.mark.parametrize("n_rows", [30, 958, 20_000])
def test_identifiers_are_told_of(form, n_rows):
    rng = np.random.default_rng(11)
    column = pd.Series(IDENTIFIERS[form](n_rows))
    (text,) = told(with_class(rng, v=column))
    counts = f"{column.nunique():,} labels in {column.count():,} rows"
    assert text.startswith(f"column 'v' ({counts}) has more labels than can be learnt from")
    assert "drop(columns=['v']) leaves it out" in text
    if n_rows == 30:
        assert told(with_class(rng, v=column).iloc[:10]) == []


DATES = {
    "iso": "%Y-%m-%d", "german": "%d.%m.%Y", "american": "%m/%d/%Y", "time": "%Y-%m-%d %H:%M",
    "zone": "%Y-%m-%dT%H:%M:%S.5+01:00",
}  # fmt: skip


@pytest.mark.parametrize("form", DATES)
def test_dates_have_a_remedy_of_their_own_that_pandas_understands(form):
    rng = np.random.default_rng(3)
    days = pd.Series(pd.Timestamp("1999-12-30") + pd.to_timedelta(np.arange(60), "D"))
    frame = with_class(rng, v=days.dt.strftime(DATES[form]))
    (text,) = told(frame)
    before, found, remedy = text.partition("; 'v' holds dates, of which the year may tell some")
    assert found
    assert before.endswith("drop(columns=['v']) leaves it out")
    if form != "german":  # where pandas asks for dayfirst=True by itself
        years = eval(remedy.partition(": ")[2], {"pandas": pd, "frame": frame})  # noqa: S307
        assert set(years) == {1999, 2000}
    (other,) = told(frame.assign(v=[f"{cell} or so" for cell in frame["v"]]))
    assert "dates" not in other
    both = frame.assign(w=frame["v"], id=[f"n{k}" for k in range(60)])
    assert "; 'v', 'w' hold dates, " in told(both)[0]


def test_columns_of_text_that_recur_are_none():
    rng = np.random.default_rng(13)
    for n_rows, n_labels in [(30, 8), (100, 20), (958, 100), (20_000, 1500)]:
        cells = [f"name {k % n_labels}" for k in rng.permutation(n_rows)]
        assert told(with_class(rng, v=cells)) == []


@pytest.mark.slow
def test_weights_are_repeated_rows():
    """Each label twice: by two rows, or by a row of weight 2; and weights may sum to 1."""
    from bnlr.data.suspects.identifiers import find_identifiers, is_identifier

    rng = np.random.default_rng(17)
    for n_labels in (25, 60, 200):
        for n in (1, 2, 3, 5, 9):
            frame = with_class(rng, v=[f"n{k}" for k in range(n_labels)])
            rows = pd.concat([frame] * n)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                repeated = bnlr.Dataset.from_frame(rows, "class")
                weighted = bnlr.Dataset.from_frame(frame, "class", weights=[float(n)] * n_labels)
                scaled = bnlr.Dataset.from_frame(rows, "class", weights=np.full(len(rows), 1e-4))
            found = bool(find_identifiers(repeated))
            assert found == bool(find_identifiers(weighted)) == bool(find_identifiers(scaled))
            # No arc can pay by BIC: (k − 1)(r − 1) ½ ln N is more than N ln r for any r.
            N = n * n_labels
            gains = [N * np.log(r) - (n_labels - 1) * (r - 1) * np.log(N) / 2 for r in range(2, 50)]
            assert found == is_identifier(n_labels, N) == (max(gains) < 0)


def test_copies_of_the_class_are_told_of():
    rng = np.random.default_rng(19)
    frame = with_class(rng, a=rng.choice(["x", "y"], 200))
    y = frame["class"]
    holed = y.astype(object).where(rng.random(200) < 0.8, None)
    for copy in (y, y == "yes", y.map({"no": 0, "yes": 1}), y.astype("category"), holed):
        (text,) = told(frame.assign(b=copy))
        where = " where it is not missing" if pd.isna(copy).any() else ""
        assert text.startswith(f"column 'b' tells the class in every row{where}, as a copy of it")
        assert "drop(columns=['b'])" in text
    numbers = pd.DataFrame({"b": (y == "yes") * 1.5 + 0.25}).where(holed.notna(), np.nan)
    for X, where in ((numbers, " where it is not missing"), (numbers.fillna({"b": 9.0}), None)):
        texts = told(X, lambda X: bnlr.BNClassifier("naive-bayes", penalty=0).fit(X, y))
        said = [text for text in texts if "tells the class" in text]
        assert len(said) == (where is not None)
        assert all(f"'b' tells the class in every row{where}, as" in text for text in said)
    many = with_class(rng, a=rng.choice(["x", "y"], 5000))
    copy = many["class"].copy()
    (text,) = told(many.assign(b=copy))
    assert text.startswith("column 'b' tells the class in every row, as a copy of it")
    copy[3333] = "no" if copy[3333] == "yes" else "yes"
    assert told(many.assign(b=copy)) == []
    wrong = y.mask(y.index == 117, CLASSES[int(y[117] == "no")])
    assert told(frame.assign(b=wrong)) == []
    assert told(frame.assign(b=y + rng.choice(["1", "2"], 200))) == []


@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(1, 12), st.integers(2, 3))
def test_chance_makes_no_copies(seed, n_rows, n_columns, n_states):
    """The share of such frames in which a column is one to one with the class is below 1/1000."""
    rng = np.random.default_rng(seed)
    n_told = 0
    for _ in range(10):
        columns = {f"a{k}": rng.integers(0, n_states, n_rows) for k in range(n_columns)}
        y = rng.integers(0, n_states, n_rows)
        frame = pd.DataFrame(columns).assign(**{"class": y})
        n_told += any("copy" in text for text in told(frame))
    assert n_told == 0


def test_given_states_are_meant():
    rng = np.random.default_rng(23)
    frame = with_class(rng, v=measured(rng, 60, "decimals"))
    states = {"v": sorted(set(frame["v"])), "class": ["no", "yes"]}
    assert told(frame, lambda frame: bnlr.Dataset.from_frame(frame, "class", states)) == []


def test_chunks_and_files_tell_as_frames_do(tmp_path):
    rng = np.random.default_rng(29)
    cells = measured(rng, 200, "decimals")
    cells[150] = "n/a"
    frame = with_class(rng, v=cells, id=[f"n{k}" for k in range(200)])
    parts = [frame.iloc[k : k + 64] for k in range(0, 200, 64)]
    expected = told(frame)
    assert len(expected) == 2
    assert told(frame, lambda _: bnlr.Dataset.from_chunks(iter(parts), "class")) == expected
    frame.to_parquet(tmp_path / "d.parquet")
    path = tmp_path / "d.parquet"
    assert (
        told(frame, lambda _: bnlr.Dataset.from_parquet(path, "class", batch_rows=64)) == expected
    )


def test_the_reported_file():
    path = SHARED / "cases" / "reported" / "csv_one_bad_token.csv"
    if not path.is_file():
        pytest.skip("the reported files are not beside the checkout")
    frame = pd.read_csv(path, keep_default_na=False).rename(columns={"c": "class"})
    row = int(np.flatnonzero(pd.to_numeric(frame["v"], errors="coerce").isna())[0])
    expected = f"holds numbers but for {frame['v'][row]!r} (row {row}), "
    fit = told(frame, lambda frame: bnlr.BNClassifier().fit(frame[["v"]], frame["class"]))
    assert [expected in text for text in (*told(frame), *fit)] == [True, True]


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the data are not beside the checkout")
def test_no_false_alarm_on_real_data():
    """Of the columns of 45 sets only the animals' names are more than they seem."""
    texts = []
    for path in sorted((SHARED / "data").glob("*.csv")):
        frame = pd.read_csv(path, nrows=3000).dropna(axis=1, how="all")
        own = "class" if "class" in frame.columns else frame.columns[-1]
        floats = [c for c in frame if frame[c].dtype.kind in "if" and frame[c].nunique() > 10]
        frame = frame.drop(columns=[c for c in floats if c != own]).dropna(subset=[own])
        texts += told(
            frame, lambda frame, own=own: bnlr.Dataset.from_frame(frame.astype({own: str}), own)
        )
    assert [text for text in texts if "'animal' (100 labels in 101 rows)" not in text] == []
