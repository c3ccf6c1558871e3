"""What a classifier's file holds of how the rows of its fit were read."""

from dataclasses import fields

from bnlr.errors import ModelFileError, ParameterError
from bnlr.io.models.fields import as_names, as_object, require_keys
from bnlr.io.tables.options import Reading, ReadOptions, checked

# All that may be said of a file, but in which words a message speaks of it.
_KEPT = tuple(field.name for field in fields(ReadOptions) if field.name != "is_shell")


def content_to_reading(value: object, where: str) -> Reading | None:
    """Read from a JSON file's content how the rows of a fit were read, None if nothing was said.

    Raises
    ------
    ModelFileError
        What is no option, or no value of one.
    """
    if value is None:
        return None
    reading = as_object(value, where)
    require_keys(reading, [name for name in _KEPT if name in reading], where)
    for name in ("missing", "dates"):
        if name in reading:
            as_names(reading[name], f"{where}.{name}")
    try:
        checked(**reading)  # type: ignore[arg-type]
    except ParameterError as error:
        raise ModelFileError(f"{where}: {error}") from error
    return reading
