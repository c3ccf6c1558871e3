"""The pages of README and docs: something runs every block of code, every link leads on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnlr
from tests.test_packaging import assert_shown, installed

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guide/*.md"), *DOCS.glob("api/*.md")])
BUILT = "built/"  # written by Sphinx, which says what is missing

if not PAGES:
    pytest.skip("no pages beside these tests", allow_module_level=True)

# What runs a language's blocks; `pycon` is run by doctest, which compares the output.
RUN = {"pycon", "sh"}
NOT_RUN = {
    ("installation.md", "console"): "builds a wheel, which .ci/run does",
    ("installation.md", "dockerfile"): "needs a container",
    ("transcript.md", "console"): "tests/test_transcript.py runs it, but for the installation",
    ("speed.md", "console"): "the benchmarks: minutes; .ci/full has them small",
    ("studies.md", "console"): "studies: minutes to hours; tests/studies has them small",
    ("several-machines.md", "python"): "a cluster and rows on S3; tests/cluster has the like",
    ("several-machines.md", "console"): "a cluster; tests/cluster has the like",
    ("several-machines.md", ""): "a drawing",
    ("missing.md", "text"): "a drawing",
}
DIRECTIVES = r"\{[a-z-]+\}"


def fences(path):
    """Yield language and text of each fenced block."""
    for ticks, language, text in re.findall(
        r"^(`{3,}|:{3,})([^\n`]*)\n(.*?)^\1\s*$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        if ticks[0] == "`":
            yield language.strip().split(" ")[0], text


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_each_block_of_code_is_run(path):
    for language, _ in fences(path):
        if not re.fullmatch(DIRECTIVES, language) and language not in RUN:
            assert (path.name, language) in NOT_RUN, language


def test_exceptions_are_needed():
    there = {(path.name, language) for path in PAGES for language, _ in fences(path)}
    assert set(NOT_RUN) - there == set()


def test_examples_of_python_show_what_they_print():
    """What a prompt prints stands below it, or doctest fails; nothing is kept from it."""
    text = "".join(path.read_text("utf-8") for path in PAGES)
    assert "doctest: +SKIP" not in text
    assert "doctest:+SKIP" not in text


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=name)
def test_links_lead_on(path):
    text = re.sub(r"^```(?:sh|pycon|python|text|console)\n.*?^```", "", path.read_text("utf-8"),
                  flags=re.MULTILINE | re.DOTALL)  # fmt: skip
    targets = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", text)
    missing = [page for page in targets if not page.startswith((BUILT, "/"))
               and not (path.parent / f"{page}.md").is_file()]  # fmt: skip
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, mark = target.partition("#")
        if re.match(r"[a-z]+:", target) or BUILT in file:
            continue
        page = path.parent / file if file else path
        if not page.is_file() or (mark and mark not in marks(page)):
            missing.append(target)
    assert missing == []


def marks(page):
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_pages_are_in_the_table_of_contents():
    index = (DOCS / "index.md").read_text("utf-8")
    listed = set(re.findall(r"^(guide/[\w-]+)$", index, re.MULTILINE))
    assert listed == {f"guide/{path.stem}" for path in DOCS.glob("guide/*.md")}


def test_each_public_name_is_in_the_reference():
    listed = (DOCS / "api" / "index.md").read_text("utf-8")
    named = {*re.findall(r"^   bnlr\.(\w+)", listed, re.MULTILINE), *vars(bnlr.errors)}
    assert set(bnlr.__all__) - named == set()


def test_thirty_questions():
    assert (DOCS / "guide" / "howto.md").read_text("utf-8").count("\n### … ") == 30


def test_the_gallery_has_at_least_eight_pages_and_their_outputs():
    scripts = sorted((DOCS / "gallery").glob("plot_*.py"))
    assert len(scripts) >= 8
    kept = {path.stem for path in (DOCS / "gallery" / "output").glob("*.txt")}
    assert kept == {script.stem.removeprefix("plot_") for script in scripts}


@pytest.mark.slow  # whole analyses
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("script", sorted((DOCS / "gallery").glob("plot_*.py")), ids=name)
def test_the_gallery_prints_what_it_did(script):
    from docs.gallery_output import kept_of, output_of

    assert_shown(output_of(script), kept_of(script).read_text("utf-8"))


@pytest.mark.slow  # a fit, and a picture of it
def test_the_overview_shows_what_the_readme_says():
    from docs.pictures.overview import overview

    titles = [axes.get_title(loc="left") for axes in overview().axes]
    readme = (ROOT / "README.md").read_text("utf-8")
    (first,) = re.findall(r"^P\(class \| row\): '(\w+)' ([\d.]+)", readme, re.MULTILINE)
    assert f"One row explained: P({first[0]}) = {first[1]}" in titles
    assert (DOCS / "pictures" / "overview.png").stat().st_size < 200_000


@pytest.mark.slow  # each command an interpreter of its own
@installed
@pytest.mark.parametrize("page", ["shell.md", "tutorial.md", "installation.md"])
def test_shell_sessions_run(page, tmp_path):
    """In one folder, without what installs; the gallery's rows are those of the checkout."""
    blocks = [text for language, text in fences(DOCS / "guide" / page) if language == "sh"]
    session = "".join(re.sub(r"pip install [^&\n]*&& ", "", block) for block in blocks)
    session = session.replace("docs/gallery", f"{DOCS}/gallery")
    session = re.sub(r"^.*(?:s3://|tcp://).*$", "", session, flags=re.MULTILINE)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "MPLBACKEND": "Agg"}
    run = subprocess.run(
        ["bash", "-euc", session],
        capture_output=True, text=True, cwd=tmp_path, env=env, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
