"""Pictures of pages of the guide: their own examples are run, and what these draw is kept.

The k-th picture that ``tutorial.md`` draws becomes ``tutorial-k.svg``. That its printed output is
what is shown, pytest compares.
"""

import contextlib
import doctest
import io
from pathlib import Path

from matplotlib import pyplot, use

ROOT = Path(__file__).resolve().parents[2]


def draw(page: Path, folder: Path) -> None:
    """Run a page's examples from the checkout's root, and write each new figure into a folder."""
    use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, object] = {}
    number = 0
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(page.read_text("utf-8")):
            exec(compile(example.source, page.name, "single"), names)  # noqa: S102  our own text
            for figure in pyplot.get_fignums():
                number += 1
                pyplot.figure(figure).savefig(folder / f"{page.stem}-{number}.svg")
            pyplot.close("all")
