"""``bnlr demo``: the whole story on tic-tac-toe end games."""

import argparse
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bnlr.cli.console import note
from bnlr.cli.demo_fits import (
    FOLDS,
    METHODS,
    PARAMETERS,
    StructureFits,
    fitted,
    scores,
    structures_of,
)
from bnlr.cli.options import Commands, add_command
from bnlr.errors import SeparationWarning
from bnlr.io.files import reason
from bnlr.words import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bnlr.data.dataset import Dataset
    from bnlr.structure.report import StructureReport

_ABOUT = """\
Show what the library does, on the 958 end games of tic-tac-toe: which structures are logistic
regressions, the optimum in each parameter space, saving and loading, and what discriminative
parameters are worth on unseen boards. Draws a picture if matplotlib is installed."""

_EXAMPLES = """\
examples:
  bnlr demo
  bnlr demo --plot tic-tac-toe.pdf"""

_PICTURE = "bnlr-demo.png"
_WIDTH = 100

Scores = dict[tuple[str, str], tuple[float, float]]
"""(structure, parameters) → held-out (accuracy, log-loss)."""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "demo", "the whole story in a few seconds", _ABOUT, _EXAMPLES), ""
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--plot", metavar="FILE", default=None, help=f"where to draw (default: {_PICTURE})"
    )
    which.add_argument("--no-plot", action="store_true", help="draw nothing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tell the story and draw the picture."""
    from rich.console import Console  # noqa: PLC0415  heavy, and the other commands do without

    start = time.perf_counter()
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
    fits, held_out = _tell(console)
    if not args.no_plot:
        _draw(console, fits, held_out, args.plot)
    console.print(f"\n{time.perf_counter() - start:.1f} seconds in all.")
    return 0


def _tell(console: "Console") -> tuple[list[StructureFits], Scores]:
    from bnlr.data.builtin.load import load_dataset  # noqa: PLC0415  these load NumPy, SciPy, pandas
    from bnlr.data.dataset import Dataset  # noqa: PLC0415
    from bnlr.structure.report import analyze  # noqa: PLC0415

    frame = load_dataset("tic-tac-toe")
    data = Dataset.from_frame(frame, class_name="class")
    counts = frame["class"].value_counts()
    console.print(
        f"Tic-tac-toe: all {data.n_rows} boards at the end of a game that x began, nine squares of "
        f"{{x, o, b}}. Has x won?\n({', '.join(f'{n} {label}' for label, n in counts.items())})"
    )
    reports = {name: analyze(s, data.cards) for name, s in structures_of(data).items()}
    console.print(_verdicts(reports))
    console.print(_remedies(reports))
    with warnings.catch_warnings():
        # The table of optima has a column for it.
        warnings.simplefilter("ignore", SeparationWarning)
        fits = [fitted(name, data, report) for name, report in reports.items()]
    console.print(_optima(fits))
    console.print(_about_optima(fits))
    console.print(_round_trip(fits, data))
    held_out = {
        (name, how): scores(name, options)
        for name in METHODS
        for how, options in PARAMETERS.items()
    }
    console.print(_cross_validated(held_out))
    return fits, held_out


def _verdicts(reports: "dict[str, StructureReport]") -> "Table":
    table = _table("Is learning P(class | board) convex?", "structure", "arcs", "convex?")
    for space in ("β (softmax)", "Roos", "log-linear"):
        table.add_column(space, justify="right")
    for name, report in reports.items():
        counts = report.parameter_counts or {}
        numbers = [counts.get(key) for key in ("beta", "roos", "loglinear")]
        verdict = (
            "yes: perfect"
            if report.is_perfect
            else f"no: {counted(report.n_violations, 'violation')}"
        )
        shown = ["-" if n is None else str(n) for n in numbers]
        table.add_row(name, str(len(report.structure.edges)), verdict, *shown)
    table.caption = "parameters: CPT cells; predictors per class but the reference"
    return table


def _remedies(reports: "dict[str, StructureReport]") -> str:
    lines = []
    for name, report in reports.items():
        for child, one, other in report.violations:
            arcs = ", ".join(f"{a} → {b}" for a, b in report.embedding)
            lines.append(
                f"{name}: {child} has the parents {one} and {other},\n"
                f"  which are not joined; the arc {arcs} makes it convex."
            )
    return "\n".join(lines)


def _optima(fits: list[StructureFits]) -> "Table":
    table = _table(
        "Conditional log-likelihood: frequency estimates, then the optimum",
        "structure",
        "space",
        "solver",
    )
    for head in ("frequencies", "optimum", "proven bound", "iterations", "seconds"):
        table.add_column(head, justify="right")
    for one in fits:
        for space, result in one.results.items():
            bound = "-" if result.upper_bound is None else _number(result.upper_bound)
            table.add_row(
                *(one.name, space, result.solver, _number(result.start_cll), _number(result.cll)),
                *(bound, str(result.n_iter), f"{one.seconds[space]:.2f}"),
                end_section=space == list(one.results)[-1],
            )
    return table


def _number(value: float) -> str:
    return f"{value + 0.0:.4f}" if abs(value) >= 5e-5 else "0.0000"


def _about_optima(fits: list[StructureFits]) -> str:
    lines = ["In each space the start is the same classifier, and so is the optimum."]
    for one in fits:
        separation = next(iter(one.results.values())).separation
        if separation is not None and separation.is_separated:
            lines.append(
                f"{one.name}: {separation.verdict} separation, so the optimum is a limit; the "
                f"first of {len(separation.cells)} cells to grow without end:\n"
                f"  {separation.cells[0]}."
            )
    return "\n".join(lines)


def _round_trip(fits: list[StructureFits], data: "Dataset") -> str:
    import numpy as np  # noqa: PLC0415

    from bnlr.io import load, save  # noqa: PLC0415

    network = fits[1].results["roos"].network
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tan.json"
        save(network, path)
        size = path.stat().st_size
        again = load(path)
    same = np.array_equal(network.predict_proba(data), again.predict_proba(data))
    verdict = "to the last bit" if same else "NOT the same"
    return (
        f"\nSaved the TAN network ({size:,} bytes of JSON) and loaded it: predictions {verdict}.\n"
    )


def _cross_validated(held_out: Scores) -> "Table":
    """Generative against discriminative parameters of the convex structures, on held-out boards."""
    table = _table(f"On unseen boards: {FOLDS}-fold cross-validation", "structure", "parameters")
    table.add_column("accuracy", justify="right")
    table.add_column("log-loss", justify="right")
    for (name, how), (accuracy, loss) in held_out.items():
        is_last = how == list(PARAMETERS)[-1]
        table.add_row(name, how, f"{accuracy:.1%}", f"{loss:.3f}", end_section=is_last)
    return table


def _draw(
    console: "Console", fits: list[StructureFits], held_out: Scores, path: str | None
) -> None:
    """Draw structure, convergence, held-out scores; what nobody asked for may fail to be drawn."""
    target = path or _PICTURE
    try:
        from bnlr.report.plots.demo import plot_demo  # noqa: PLC0415  an extra

        naive = fits[0]
        shown = {f"{name},\n{how.split(', ')[-1]}": pair for (name, how), pair in held_out.items()}
        plot_demo(target, naive.report.structure, naive.report, naive.results, shown)
    except ImportError:
        note("bnlr: warning: no picture without matplotlib; pip install 'bnlr[plot]'")
    except OSError as error:
        if path is not None:
            raise
        note(f"bnlr: warning: no picture, {target} cannot be written: {reason(error)}")
    else:
        console.print(f"Picture: {target}")


def _table(title: str, *heads: str) -> "Table":
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left", box=box.SIMPLE, caption_justify="left")
    for head in heads:
        table.add_column(head, justify="right" if head == "arcs" else "left")
    return table
