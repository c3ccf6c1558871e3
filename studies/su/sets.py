"""The 33 sets of the paper: files, and what a CSV file does not say."""

from collections.abc import Mapping
from dataclasses import dataclass

from studies.common.sources import Source

Labels = tuple[str, ...]
ALL = "all"


@dataclass(frozen=True)
class PaperSet:
    """A set of the paper: its source and what a CSV file does not say.

    Attributes
    ----------
    source : Source
    numeric : tuple of str, or "all"
        The columns that hold numbers.
    dropped : tuple of str
        Columns that the paper's copy did not have.
    first : tuple of str
        Classes that come first among those of the same size; else the order of appearance counts.
    has_marks : bool
        Whether a question mark is a label ("not applicable") and not a missing cell.
    """

    source: Source
    numeric: Labels | str = ()
    dropped: Labels = ()
    first: Labels = ()
    has_marks: bool = False


def _named(
    file: str,
    numeric: Labels | str = (),
    builtin: str | None = None,
    dropped: Labels = (),
    first: Labels = (),
    has_marks: bool = False,
) -> PaperSet:
    name = file.partition(".")[0]
    return PaperSet(Source(file, name, builtin=builtin), numeric, dropped, first, has_marks)


_THYROID = ("age", "TSH", "T3", "TT4", "T4U", "FTI", "TBG")
_LABOR = (
    "duration",
    "wage-increase-first-year",
    "wage-increase-second-year",
    "wage-increase-third-year",
    "working-hours",
    "standby-pay",
    "shift-differential",
    "statutory-holidays",
)
_AUTOS = (
    *("normalized-losses", "wheel-base", "length", "width", "height", "curb-weight"),
    *("engine-size", "bore", "stroke", "compression-ratio", "horsepower", "peak-rpm"),
    *("city-mpg", "highway-mpg", "price"),
)
_HEART = (
    "age",
    "resting_blood_pressure",
    "serum_cholestoral",
    "maximum_heart_rate_achieved",
    "oldpeak",
    "slope",
    "number_of_major_vessels",
)
_COLIC = (
    "rectal_temperature",
    "pulse",
    "respiratory_rate",
    "nasogastric_reflux_PH",
    "packed_cell_volume",
    "total_protein",
    "abdomcentesis_total_protein",
)
_GERMAN = (
    "duration",
    "credit_amount",
    "installment_commitment",
    "residence_since",
    "age",
    "existing_credits",
    "num_dependents",
)
_ANNEAL = ("carbon", "hardness", "strength", "thick", "width", "len")
_HEPATITIS = ("AGE", "BILIRUBIN", "ALK_PHOSPHATE", "SGOT", "ALBUMIN", "PROTIME")

SETS: Mapping[str, PaperSet] = {
    "labor": _named("labor.csv", _LABOR),
    "zoo": _named("zoo.csv", ("legs",)),
    "iris": _named("iris.csv", ALL, builtin="iris"),
    "primary-tumor": _named("primary-tumor.csv"),
    "autos": _named("autos.csv", _AUTOS),
    "audiology": _named("audiology.csv"),
    "glass": _named("glass.csv", ALL),
    "vowel": _named("vowel.csv", tuple(f"Feature {k}" for k in range(10))),
    "soybean": _named("soybean.csv"),
    "hepatitis": _named("hepatitis.csv", _HEPATITIS),
    "sonar": _named("sonar.csv", ALL),
    "lymphography": _named("lymphography.csv", ("lym_dimin", "lym_enlar", "no_nodes")),
    "heart-statlog": _named("heart-statlog.csv", _HEART),
    "cleveland": _named("cleve.csv", ("age", "trestbps", "chol", "thalach", "oldpeak", "ca")),
    "breast-cancer": _named("breast-cancer.csv"),
    "ionosphere": _named("ionosphere.csv", ALL),
    "horse-colic": _named("horse-colic.csv", _COLIC),
    "vehicle": _named("vehicle.csv", ALL),
    "vote": _named("vote.csv"),
    "balance": _named("balance-scale.csv", ALL),
    "wisconsin": _named("breast-w.csv", ALL, dropped=("Id",)),
    "segment": _named("segment.csv", ALL, first=("brickface", "sky")),
    "credit-rating": _named("crx.csv", ("A2", "A3", "A8", "A11", "A14", "A15")),
    "diabetes": _named("pima.csv", ALL),
    "anneal": _named("anneal.csv", _ANNEAL, has_marks=True),
    "credit-g": _named("german.csv", _GERMAN),
    "letter": _named("letter.csv", ALL),
    "splice": _named("splice.csv"),
    "kr-vs-kp": _named("kr-vs-kp.csv"),
    "waveform": _named("waveform-5000.csv.gz", ALL, builtin="waveform-40"),
    "hypothyroid": _named("hypothyroid.csv", _THYROID),
    "sick": _named("sick.csv", _THYROID),
    "mushroom": _named("mushroom.csv"),
}
"""In the order of the paper's table 1."""
