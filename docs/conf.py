"""Settings of the documentation: ``sphinx-build -W docs site`` (extra ``docs``)."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import bnlr  # noqa: E402  the checkout's
from docs.pictures.of_pages import draw  # noqa: E402

for page in ("tutorial",):
    draw(ROOT / "docs" / "guide" / f"{page}.md", ROOT / "docs" / "built" / "pictures")

project, author = "bnlr", "The bnlr developers"
copyright = f"2026, {author}"  # noqa: A001  Sphinx's name
release = version = bnlr.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "pictures", "static", "transcript"]
default_role = "any"
suppress_warnings = [
    "ref.any",
    "ref.ref",
]  # parameters stand in backticks too; scikit-learn has labels
nitpicky = False

# The blank line that ends an output for doctest is not shown.
highlight_options = {"pycon": {"stripnl": True}}

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections have them
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "built/gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "show_signature": False,
    "matplotlib_animations": False,
}

html_theme = "furo"
html_title = f"bnlr {release}"
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
