"""Columns of dates that are to be numbers: years, with the share of them that is over."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.data.dates import are_dates, decimal_year


def years(moments):
    """The same by pandas, from the lengths of years."""
    begin = pd.to_datetime(moments.year.astype(str) + "-01-01")
    end = pd.to_datetime((moments.year + 1).astype(str) + "-01-01")
    return moments.year + (moments - begin) / (end - begin)


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S.%fZ"],
)
def test_a_date_is_its_year_and_the_share_that_is_over(form):
    rng = np.random.default_rng(0)
    moments = pd.to_datetime(rng.integers(-(10**9), 4 * 10**9, 200), unit="s")
    texts = moments.strftime(form)
    read = [decimal_year(text) for text in texts]
    expected = years(pd.to_datetime(texts, format=form).tz_localize(None))
    np.testing.assert_allclose(read, expected, rtol=0, atol=1e-9)
    assert are_dates(texts)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2021-01-01T01:30+02:00", "2020-12-31 23:30"),
        ("2020-12-31 22:00:30-0430", "2021-01-01 02:30:30"),
        (" 2021-7-2 ", "2021-07-02"),
    ],
)
def test_a_time_is_that_of_its_zone(text, utc):
    (expected,) = years(pd.DatetimeIndex([utc]))
    assert decimal_year(text) == pytest.approx(expected, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    ["2021-02-29", "2021-13-01", "0000-01-01", "2021-01/01", "1/2/2021", "21-01-01", "2021", "",
     "2021-01-01 25:00", "0001-01-01 00:00+01:00", "2021-01-01 10:61", "٢٠٢١-01-01"],
)  # fmt: skip
def test_what_is_no_date_or_may_be_two(text):
    assert decimal_year(text) is None


@pytest.mark.parametrize("separator", [",", ";"])
def test_read_frame_makes_numbers_of_them(tmp_path, separator):
    rows = ["day,k", "2021-07-02,1", "?,2", "2020-01-01 ,1", "n/a,2"]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(rows).replace(",", separator), "utf-8")
    frame = bnlr.read_frame(path, dates=["day"], missing=["n/a"])
    np.testing.assert_allclose(frame["day"], [2021 + 182 / 365, np.nan, 2020, np.nan], rtol=1e-15)
    assert bnlr.read_frame(path)["day"].tolist()[0] == "2021-07-02"


def test_columns_of_a_format_that_declares_them(tmp_path):
    frame = pd.DataFrame({"day": ["2021-07-02", None], "k": [1, 2]})
    frame.to_parquet(tmp_path / "d.parquet")
    found = bnlr.read_frame(tmp_path / "d.parquet", dates=["day"])["day"]
    np.testing.assert_allclose(found, [2021 + 182 / 365, np.nan], rtol=1e-15)
    frame.assign(day=[5.5, None]).to_parquet(tmp_path / "d.parquet")
    np.testing.assert_array_equal(
        bnlr.read_frame(tmp_path / "d.parquet", dates=["day"])["day"], [5.5, np.nan]
    )


@pytest.mark.parametrize(
    ("cell", "dates", "message"),
    [
        ("soon", ["day"], r"'day' holds 'soon' in data row 2.* missing: missing=\['soon'\]"),
        ("3/4/2021", ["day"], "'3/4/2021' in data row 2, whose day and month may be either; write"),
        ("2021-07-02", ["days"], "no column 'days'"),
    ],
)
def test_others_are_refused_with_the_remedy(tmp_path, cell, dates, message):
    path = tmp_path / "d.csv"
    path.write_text(f"day,k\n2020-01-01,1\n{cell},2\n", "utf-8")
    with pytest.raises(bnlr.DataError, match=message):
        bnlr.read_frame(path, dates=dates)


def test_the_option_is_a_list_of_names(tmp_path):
    with pytest.raises(bnlr.ParameterError, match=r"^dates .*such as \['day'\]"):
        bnlr.read_frame(tmp_path / "d.csv", dates=3)
