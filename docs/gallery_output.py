"""What the scripts of the gallery print, kept beside them: ``python docs/gallery_output.py`` anew.

A test compares, so that what their prose says of numbers stays true.
"""

import contextlib
import io
import runpy
import sys
from pathlib import Path

GALLERY = Path(__file__).parent / "gallery"
KEPT = GALLERY / "output"


def output_of(script: Path) -> str:
    """Run a script in the gallery's folder and return what it prints."""
    printed = io.StringIO()
    with contextlib.chdir(GALLERY), contextlib.redirect_stdout(printed):
        runpy.run_path(str(script))
    return printed.getvalue()


def kept_of(script: Path) -> Path:
    """Where a script's output is kept."""
    return KEPT / f"{script.stem.removeprefix('plot_')}.txt"


if __name__ == "__main__":
    for script in map(Path, sys.argv[1:] or sorted(GALLERY.glob("plot_*.py"))):
        kept_of(script).write_text(output_of(script.resolve()), "utf-8")
