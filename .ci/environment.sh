# Sourced by the scripts beside it: a folder for what they make, an environment, words for steps.
# Needs Python 3.11 or later and a C++ compiler; PYTHON=python3.12 takes another interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
unset PYTHONPATH BNLR_KERNELS PYTHONDONTWRITEBYTECODE # tests are compiled once for all steps
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore MPLBACKEND=Agg

step() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }
new_venv() { "${PYTHON:-python3}" -m venv "$1"; }
inside() { (PATH="$1/bin:$PATH" VIRTUAL_ENV="$1" bash -euc "$2"); }
# What keeps one core busy runs beside another step: `beside COMMAND …`, and `joined`, which shows what it said.
beside() { "$@" >"$work/beside.log" 2>&1 & }
joined() { local code=0; wait "$!" || code=$?; cat "$work/beside.log"; return "$code"; }
readme_block() { awk -v want="$1" '/^```sh/{n++; on=(n==want); next} /^```/{on=0} on' README.md; }
kernels="import bnlr.native as n; print('kernels:', n.chosen()); assert n.chosen() == n.available()[-1] != n.NUMPY"

step "environment"
new_venv "$work/dev"
inside "$work/dev" "pip install -q -e '.[dev]' 'numba>=0.60'" # the benchmarks' unit is counted with it
