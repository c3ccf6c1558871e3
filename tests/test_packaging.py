"""What a user gets who installs the package and reads the README."""

import ast
import functools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

import bnlr

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DISTRIBUTION_OF = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml"}
HEAVY = {
    "matplotlib",
    "networkx",
    "pandas",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
    "statsmodels",
}


def is_installed() -> bool:
    try:
        return distribution("bnlr") is not None
    except PackageNotFoundError:
        return False


# From a checkout alone there is neither metadata nor the command; CI always installs.
installed = pytest.mark.skipif(not is_installed(), reason="bnlr is not installed here")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def loaded_by(code: str, tmp_path: Path) -> set[str]:
    """Top-level modules that ``code`` brings into a new interpreter."""
    script = (
        f"{code}\nimport sys\nprint('\\nloaded', *{{m.partition('.')[0] for m in sys.modules}})"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, cwd=tmp_path, env=env, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines()[-1].split()[1:])


def imports_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Top-level names of the modules that the import statements among ``nodes`` name."""
    modules: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules.add(node.module or "")
    return {module.partition(".")[0] for module in modules}


@functools.cache
def third_party_imports() -> dict[str, set[str]]:
    """{distribution: the files of bnlr that import it}, imports inside functions included."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "bnlr").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for module in imports_of(ast.walk(tree)) - sys.stdlib_module_names - {"bnlr"}:
            name = DISTRIBUTION_OF.get(module, module)
            found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def names_in(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9_.-]", line)[0].lower() for line in requirements}


class TestImport:
    def test_loads_nothing_but_the_standard_library(self, tmp_path):
        loaded = loaded_by("import bnlr; bnlr.__version__; bnlr.__all__; dir(bnlr)", tmp_path)
        assert "bnlr" in loaded
        assert not loaded & (HEAVY | {"numpy"})

    def test_structure_analysis_loads_nothing_heavy(self, tmp_path):
        code = (
            "import bnlr\n"
            "s = bnlr.Structure([('c', 'a'), ('c', 'b'), ('b', 'a')], class_name='c')\n"
            "report = bnlr.analyze(s, {'a': 2, 'b': 3, 'c': 2})\n"
            "assert report.is_perfect and str(report) and report.to_dict()"
        )
        assert not loaded_by(code, tmp_path) & HEAVY

    def test_names_for_fitting_load_no_frame_no_estimator_no_compiler(self, tmp_path):
        code = (
            "from bnlr import BayesianNetwork, Dataset, FitResult, LogLinear, Roos, Softmax\n"
            "from bnlr import fit, learn_structure, list_datasets, load, save\n"
            "list_datasets()"
        )
        assert not loaded_by(code, tmp_path) & (HEAVY - {"scipy"})

    def test_check_command_loads_nothing_heavy(self, tmp_path):
        (tmp_path / "net.txt").write_text("c a\nc b\n", encoding="utf-8")
        code = (
            "from bnlr.cli import main\n"
            "try:\n"
            "    status = main(['check', 'net.txt', '--class', 'c'])\n"
            "except SystemExit as stop:\n"
            "    status = stop.code\n"
            "assert not status, status"
        )
        assert not loaded_by(code, tmp_path) & {"sklearn", "statsmodels", "pandas"}

    def test_every_public_name_can_be_had(self):
        assert len(set(bnlr.__all__)) == len(bnlr.__all__)
        for name in bnlr.__all__:
            assert getattr(bnlr, name) is not None
        assert set(bnlr.__all__) <= set(dir(bnlr))

    def test_unknown_name_is_an_attribute_error(self):
        with pytest.raises(AttributeError, match="no_such_name"):
            bnlr.no_such_name  # noqa: B018  the look-up is the test


class TestMetadata:
    def test_version_heads_the_changelog(self):
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        assert re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)[0] == bnlr.__version__

    @installed
    def test_installed_version_and_requirements_are_those_of_the_checkout(self):
        assert distribution("bnlr").version == bnlr.__version__
        core = [line for line in distribution("bnlr").requires or [] if "extra ==" not in line]
        assert names_in(core) == names_in(PYPROJECT["project"]["dependencies"])

    def test_types_are_announced(self):
        assert (Path(bnlr.__file__).parent / "py.typed").is_file()

    @pytest.mark.slow  # reads every file
    def test_every_import_is_declared(self):
        project = PYPROJECT["project"]
        names = ("dask", "plot", "parquet", "stats")
        extras = [project["optional-dependencies"][extra] for extra in names]
        declared = names_in(sum(extras, project["dependencies"]))
        undeclared = {k: v for k, v in third_party_imports().items() if k not in declared}
        assert not undeclared

    def test_every_dependency_is_imported(self):
        unused = names_in(PYPROJECT["project"]["dependencies"]) - set(third_party_imports())
        assert not unused


class TestReadme:
    def test_commands_of_a_newcomer(self):
        shell = blocks("sh")
        assert shell[0].strip() == "pip install -q '.[plot]' && bnlr demo"
        assert shell[1].strip() == "pip install -q -e '.[test]' && pytest -q -n 2 --dist loadfile"

    def test_first_python_example_is_five_lines(self):
        example = blocks("python")[0]
        assert len([line for line in example.splitlines() if line.strip()]) == 5

    @pytest.mark.parametrize("k", range(3))
    def test_python_examples_print_what_is_shown(self, k, capsys):
        pairs = re.findall(
            r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL
        )
        assert len(pairs) == len(blocks("python")) == len(blocks("text")) == 3
        example, shown = pairs[k]
        exec(compile(example, "README.md", "exec"), {})  # noqa: S102  our own text
        assert_shown(capsys.readouterr().out, shown)

    def test_a_page_is_enough_for_all_of_it(self):
        assert len(README.splitlines()) <= 160

    @pytest.mark.slow  # five commands, each an interpreter of its own
    @installed
    def test_shell_session_runs(self, tmp_path):
        session = blocks("sh")[2]
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        env = {**os.environ, "PATH": path, "MPLBACKEND": "Agg"}
        run = subprocess.run(
            ["bash", "-euc", session],
            capture_output=True, text=True, cwd=tmp_path, env=env, timeout=300, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout + run.stderr

    def test_names_in_code_are_public(self):
        used = set(re.findall(r"\bbnlr\.([A-Za-z_]+)", README))
        assert used
        assert used <= {*bnlr.__all__, "__version__"}


def assert_shown(printed: str, shown: str) -> None:
    """Each line as shown: "…" alone stands for any lines, at a line's end for any rest of it."""
    lines = iter(printed.splitlines())
    skips = False
    for want in shown.splitlines():
        if want.strip() == "…":
            skips = True
            continue
        got = next(lines)
        while skips and not same_line(got, want):
            got = next(lines)
        assert same_line(got, want), (got, want)
        skips = False
    assert skips or next(lines, None) is None


def same_line(left: str, right: str) -> bool:
    """Words equal, numbers equal to 1e-3; up to "…" if there is one."""
    number = r"\d+(?:\.\d+)?(?:e-?\d+)?"
    begin, has_rest, _ = right.partition("…")
    if has_rest:
        left = left[: len(begin)]
    if re.sub(number, "#", left) != re.sub(number, "#", begin):
        return False
    pairs = zip(re.findall(number, left), re.findall(number, begin), strict=True)
    return all(float(a) == pytest.approx(float(b), rel=1e-3) for a, b in pairs)


def test_other_numbers_words_and_lines_are_not_what_is_shown():
    shown = "one 1.000 …\n  …\nlast 2\n"
    assert_shown("one 1.001 or so\nbetween\nlast 2\n", shown)
    for printed in ("one 1.01 or so\nlast 2\n", "two 1.000 or so\nlast 2\n"):
        with pytest.raises(AssertionError):
            assert_shown(printed, shown)
    for printed in ("one 1.000 or so\n", "one 1.000 or so\nlast 3\n"):
        with pytest.raises(StopIteration):
            assert_shown(printed, shown)
