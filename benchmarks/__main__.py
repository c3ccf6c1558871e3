"""``python -m benchmarks``: bnlr against other packages, to the same gap from the optimum.

Workloads: W1 TAN, 200,000 rows of 30 attributes; W1nb naive Bayes on data of its size; W2 letter,
26 classes; W3 vote, the latency of one small model; W4 TAN, 2,000,000 rows of 50 attributes; W5
CLL with gradient, and EM, 3,196 rows of 36 attributes, TAN; W6 frequency estimates and TAN
structures; W8 the class's posteriors for 100,000 rows, a TAN of 30 nodes and a DAG of 37; W9 error
and gradient of 10,000 queries to a DAG of 20 nodes. A quarter of the attributes' cells is missing
in W5 and W8. The unit C is one counting pass of the same process.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import peers, records, report, runner
from benchmarks.inference_peers import INFERENCE_PEERS
from benchmarks.workloads import BESIDE_CHECKOUT, WORKLOADS

_ROOT = Path(__file__).resolve().parents[1]
_PEERS = {**peers.PEERS, **INFERENCE_PEERS}
_SMOKE_PEERS = ("lbfgs", "newton-cholesky", "pyagrum")


def main() -> int:
    """Run the command; 1 if a fit failed."""
    args = _parser().parse_args()
    if args.child:
        return _child(json.loads(args.child))
    options = _options(args)
    # One process each, so that memory can be told; together they would only wait in the smoke run.
    groups = [args.workloads] if args.smoke else [[w] for w in args.workloads]
    figures, broken = report.figures([], asdict(options)), []
    for group in groups:
        sheets, code = _in_process(group, options)
        if code:
            broken.append(f"{', '.join(group)} ended with code {code}")
        figures = report.figures([*figures["tasks"], *sheets], asdict(options))
        report.show_tasks(sheets)
        if args.out:
            report.write(figures, Path(args.out))  # after each, so that none is lost
    report.show_end(figures, broken)
    return 1 if broken or report.failures(figures) or not figures["tasks"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--smoke", action="store_true", help="small sizes, three peers, in seconds")
    add("--workloads", type=_chosen(WORKLOADS), default=list(WORKLOADS), help="W1,W1nb,…")
    add("--threads", type=_numbers, default=None, help="numbers of threads; default 1,2")
    add("--peers", type=_chosen(_PEERS), default=None, help=",".join(_PEERS))
    add("--repeats", type=int, default=5, help="the best of at least so many is taken")
    add(
        "--limit",
        type=float,
        default=300.0,
        help="seconds after which a search for a tolerance ends",
    )
    add("--only", default="", help="tasks of which this is a part of the name, as 'penalty 1'")
    add("--out", help="folder for benchmarks.json and benchmarks.png")
    add("--data-dir", default=str(BESIDE_CHECKOUT), help="folder of letter.csv and vote.csv")
    add("--child", help=argparse.SUPPRESS)
    return parser


def _chosen(known: dict[str, Any]) -> Any:
    def parse(text: str) -> list[str]:
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return names

    return parse


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _options(args: argparse.Namespace) -> records.RaceOptions:
    chosen = _SMOKE_PEERS if args.smoke else tuple(_PEERS)
    return records.RaceOptions(
        threads=args.threads or (1, 2),
        peers=chosen if args.peers is None else tuple(args.peers),
        repeats=1 if args.smoke else args.repeats,
        data_dir=args.data_dir,
        smoke=args.smoke,
        limit=args.limit,
        only=args.only,
    )


def _in_process(
    workloads: list[str], options: records.RaceOptions
) -> tuple[list[dict[str, Any]], int]:
    """Run workloads in a process of their own: its sheets, a line each, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "sheets.jsonl"
        order = {"workloads": workloads, "options": asdict(options), "target": str(target)}
        command = [sys.executable, "-m", "benchmarks", "--child", json.dumps(order)]
        done = subprocess.run(command, cwd=_ROOT, check=False)  # noqa: S603  this module
        lines = target.read_text("utf-8").splitlines() if target.exists() else []
        return [json.loads(line) for line in lines], done.returncode


def _child(order: dict[str, Any]) -> int:
    options = records.RaceOptions(**order["options"])
    with Path(order["target"]).open("a", encoding="utf-8") as file:
        for name in order["workloads"]:
            for sheet in runner.run(name, options, report.progress):
                file.write(json.dumps(records.as_json(sheet)) + "\n")
                file.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
