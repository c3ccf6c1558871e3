"""Alternative texts say what is drawn; what comes of the data they take from the data."""

import ast
from pathlib import Path

import pytest

import studies

_SHAPES = {
    *("rise", "rises", "fall", "falls", "stay", "stays", "settle", "settles", "near", "close"),
    *("flat", "slightly", "always", "best", "lowest", "highest", "better", "worse", "none"),
}
_FOLDER = Path(studies.__file__).parent
# Of a function, not of data; and what the order of the drawing makes so.
_TRUE_OF_ANY_DATA = {
    "A saddle between two corners where the function is largest",
    "Dots with bars, a line a learner, the best mean rank on top",
    "Shares at the best supremum: ",
}


def texts(path):
    """Literal parts of what is drawn's third argument, or called ``alt``."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        values = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "drawn":
            values = node.args[2:3]
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").lower().endswith(
            "alt"
        ):
            values = [node.value]
        for value in values:
            for part in ast.walk(value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@pytest.mark.slow
def test_no_alternative_text_asserts_a_shape():
    found = {text for path in _FOLDER.rglob("*.py") for text in texts(path)} - _TRUE_OF_ANY_DATA
    assert len(found) > 10
    words = {text: _SHAPES & set(text.lower().replace(",", " ").split()) for text in found}
    assert {text: own for text, own in words.items() if own} == {}
