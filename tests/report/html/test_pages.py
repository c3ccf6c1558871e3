"""The page: well-formed, escaped, and in need of nothing but itself."""

import base64
import html
import re
from html.parser import HTMLParser

import pytest

from bnlr.errors import ParameterError
from bnlr.report.html import (
    Column,
    Html,
    Section,
    bullets,
    code,
    figure,
    folded,
    inline,
    key_figures,
    listing,
    named,
    note,
    page,
    side_by_side,
    strong,
    table,
    words,
)
from bnlr.report.plots.drawing import png_bytes, svg_bytes

VOID = {"meta", "img", "br", "link"}
EVIL = "<script>alert('1')</script> & \"quotes\""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'


class Reader(HTMLParser):
    """Checks that tags are balanced and collects what a page holds."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


def drawn():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    figure_ = Figure(figsize=(3, 2))
    axes = figure_.add_subplot()
    axes.plot([1, 2, 3], [1, 4, 9], label="x²")
    axes.fill_between([1, 2], [0, 1])
    axes.legend()
    return figure_


def example(image=SVG):
    return page(
        EVIL,
        [f"intro {EVIL}", "with `code`"],
        [
            Section(EVIL, [EVIL, note(EVIL), bullets([EVIL, "b"]), code(EVIL), strong(EVIL)]),
            Section("Tables", [table([EVIL, Column(EVIL, group=EVIL)], [(EVIL, 1)], EVIL)]),
            Section("Tables", [figure(image, EVIL, alt=EVIL)]),
        ],
        foot=EVIL,
    )


class TestPage:
    def test_is_well_formed_and_escaped(self):
        reader = Reader(example())
        assert "script" not in reader.tags
        assert reader.tags[:2] == ["html", "head"]
        assert "".join(reader.texts).count("<script>alert('1')</script>") == 17
        assert reader.all("img", "alt") == [EVIL]

    def test_holds_no_reference_to_anything_outside(self):
        text = example()
        reader = Reader(text)
        ids = {value for _, name, value in reader.attributes if name == "id"}
        for _, name, value in reader.attributes:
            if name == "href":
                assert value.startswith("#")
                assert value[1:] in ids
            if name == "src":
                assert value.startswith("data:image/")
        assert not {"script", "link", "iframe", "object", "base", "form"} & set(reader.tags)
        assert not {name for _, name, _ in reader.attributes if name.startswith("on")}
        assert "url(" not in text
        assert "@import" not in text
        assert not re.search(r"(?<!:)//", re.sub(r"base64,[^\"]*", "", text))
        assert "default-src 'none'" in reader.all("meta", "content")[1]

    def test_links_are_distinct_where_headings_are_not(self):
        reader = Reader(example())
        marks = reader.all("h2", "id")
        assert len(set(marks)) == 3
        assert reader.all("a", "href") == [f"#{mark}" for mark in marks]

    def test_is_for_phones_paper_and_the_dark(self):
        text = example()
        assert 'name="viewport"' in text
        for rule in ("@media print", "prefers-color-scheme: dark", "max-width: 40rem"):
            assert rule in text

    def test_short_page_has_no_contents(self):
        reader = Reader(page("t", "i", [Section("one", ["x"])]))
        assert "nav" not in reader.tags
        assert "footer" not in reader.tags
        assert reader.tags.count("p") == 2

    @pytest.mark.slow
    def test_same_input_gives_the_same_bytes(self):
        assert example(svg_bytes(drawn())) == example(svg_bytes(drawn()))

    def test_marks_are_left_out_where_no_html_may_stand(self):
        text = page(Html("<i>A &amp; B</i> &lt; `C`"), "i", [])
        assert "<title>A &amp; B &lt; `C`</title>" in text
        assert "<title>A &amp; C</title>" in page("`A` & C", "i", [])

    def test_html_passes_and_text_does_not(self):
        assert inline("a `<b>` c") == "a <code>&lt;b&gt;</code> c"
        assert inline(Html("<b>x</b>")) == "<b>x</b>"


class TestTable:
    def rows(self, *args, **kwargs):
        text = table(*args, caption="c", **kwargs)
        Reader(text)
        return [
            re.findall(r"<t[dh]([^>]*)>(.*?)</t[dh]>", row)
            for row in re.findall(r"<tr[^>]*>(.*?)</tr>", text)
        ]

    def test_numbers_stand_right_with_the_format_of_their_column(self):
        columns = ["name", "n", Column("x", ".2f"), Column("y"), "yes"]
        rows = [
            ["a", 12345, -1.5, 1 / 3, True],
            [strong("b"), None, float("nan"), -1e-9, False],
        ]
        _, one, two = self.rows(columns, rows)
        right, dash = ' class="n"', '<span class="none">–</span>'
        assert [cell for _, cell in one] == ["a", "12,345", "−1.50", "0.3333", "yes"]
        assert [cell for _, cell in two] == ["<strong>b</strong>", dash, dash, "−1e−09", "no"]
        assert [style for style, _ in one] == ["", right, right, right, ""]

    def test_numpy_numbers_are_numbers(self):
        np = pytest.importorskip("numpy")
        _, row = self.rows(["n", "x"], [[np.int64(1234), np.float64(0.5)]])
        assert [cell for _, cell in row] == ["1,234", "0.5"]

    def test_groups_span_their_columns(self):
        columns = ["data", Column("a", group="LR"), Column("b", group="LR"), Column("c", group="G")]
        groups, names, _ = self.rows(columns, [["d", 1, 2, 3]])
        assert groups == [
            (' colspan="1"', ""),
            (' scope="colgroup" colspan="2"', "<span>LR</span>"),
            (' scope="colgroup" colspan="1"', "<span>G</span>"),
        ]
        assert [name for _, name in names] == ["data", "a", "b", "c"]

    def test_foot_is_set_off(self):
        text = table(["a", "b"], [["x", 1]], "c", foot=[["mean", 1.5]])
        assert "<tfoot>\n<tr><td>mean</td>" in text

    def test_bars_are_shares_of_the_column_s_largest(self):
        columns = ["what", Column("rise", "+.1f", bar=True)]
        text = table(columns, [("a", 2.0), ("b", -1.0), ("c", 0), ("d", "∞"), ("e", None)], "R")
        assert re.findall(r'<i(?: class="(\w+)")? style="width: ([\d.]+)%">', text) == [
            ("", "100.0"), ("less", "50.0"), ("", "0.0"),
        ]  # fmt: skip
        assert '<table class="bars">' in text
        assert "<i" not in table(columns, [("a", 0.0), ("b", None)], "Nothing is longest")

    def test_rows_of_another_length_are_refused(self):
        with pytest.raises(ParameterError, match="2 columns has the row"):
            table(["a", "b"], [["x"]], "c")


class TestFigure:
    @pytest.mark.slow
    def test_holds_the_very_bytes(self):
        for raw, kind in ((svg_bytes(drawn()), "svg+xml"), (png_bytes(drawn()), "png")):
            source = Reader(figure(raw, "c", "a")).all("img", "src")[0]
            head, _, data = source.partition(",")
            assert head == f"data:image/{kind};base64"
            assert base64.b64decode(data) == raw

    @pytest.mark.slow
    def test_only_what_is_to_be_scrolled_says_so(self):
        for raw in (svg_bytes(drawn()), png_bytes(drawn())):
            assert figure(raw, "c", "a").startswith("<figure>")
            wide = figure(raw, "c", "a", kind="graph wide")
            assert wide.startswith('<figure class="graph wide" tabindex="0">')

    @pytest.mark.slow
    def test_drawings_do_not_differ_and_bear_no_date(self):
        one, other = svg_bytes(drawn()), svg_bytes(drawn())
        assert one == other
        assert png_bytes(drawn()) == png_bytes(drawn())
        assert b"<dc:date>" not in one
        assert b"matplotlib.org" not in one
        assert b"<text" not in one
        assert b"Software" not in png_bytes(drawn())

    def test_drawing_does_not_change_matplotlibs_settings(self):
        figure_ = drawn()
        from matplotlib import rcParams

        before = dict(rcParams)
        svg_bytes(figure_)
        assert dict(rcParams) == before

    def test_other_bytes_are_refused(self):
        with pytest.raises(ParameterError, match="SVG or a PNG"):
            figure(b"GIF89a", "c", "a")


class TestWords:
    def test_names_are_escaped_set_apart_and_printable(self):
        assert named(EVIL) == f"<bdi>{html.escape(EVIL)}</bdi>"
        assert named("two\nlines\u202e") == "<bdi>two\\nlines\\u202e</bdi>"
        assert named("`a` {0}") == "<bdi>`a` {0}</bdi>"

    def test_sentences_take_values_as_they_are_or_escaped(self):
        assert words("{} & `{}`: {}", named("{x}"), "<b>", 3) == (
            "<bdi>{x}</bdi> &amp; <code>&lt;b&gt;</code>: 3"
        )

    def test_lists_say_how_many_more_there_are(self):
        items = [named(k) for k in range(5)]
        assert listing(items[:1]) == "<bdi>0</bdi>"
        assert listing(items, 2) == "<bdi>0</bdi>, <bdi>1</bdi> and 3 more"

    def test_blocks_stand_by_themselves_in_a_page(self):
        blocks = [
            folded(EVIL, note("x")),
            key_figures([("log-loss", EVIL, "y")]),
            side_by_side([figure(SVG, "c", "a")]),
        ]
        text = page("t", "i", [Section("s", blocks)])
        reader = Reader(text)
        assert "<p><d" not in text
        assert {"details", "summary", "dl", "dt", "dd"} <= set(reader.tags)
        assert "script" not in reader.tags
