"""XMLBIF as WEKA, GeNIe, pgmpy and JavaBayes write it, and what is refused."""

import numpy as np
import pytest

import bnlr
from bnlr.errors import ModelFileError
from bnlr.io.networks.formats import recognised
from bnlr.io.networks.xmlbif import parse

# The document type that the XMLBIF 0.3 specification gives, and WEKA writes.
DOCTYPE = """\
<!DOCTYPE BIF [
    <!ELEMENT BIF ( NETWORK )*>
    <!ATTLIST BIF VERSION CDATA #REQUIRED>
    <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
    <!ELEMENT NAME (#PCDATA)>
    <!ELEMENT VARIABLE ( NAME, ( OUTCOME |  PROPERTY )* ) >
    <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
    <!ELEMENT OUTCOME (#PCDATA)>
    <!ELEMENT DEFINITION ( FOR | GIVEN | TABLE | PROPERTY )* >
    <!ELEMENT FOR (#PCDATA)>
    <!ELEMENT GIVEN (#PCDATA)>
    <!ELEMENT TABLE (#PCDATA)>
    <!ELEMENT PROPERTY (#PCDATA)>
]>
"""
WEKA = f"""<?xml version="1.0"?>
<!-- DTD for the XMLBIF 0.3 format -->
{DOCTYPE}

<BIF VERSION="0.3">
<NETWORK>
<NAME>weather.symbolic-weka.filters</NAME>
<VARIABLE TYPE="nature">
<NAME>outlook</NAME>
<OUTCOME>sunny</OUTCOME>
<OUTCOME>&apos;very &lt; cloudy&apos;</OUTCOME>
<OUTCOME>rainy</OUTCOME>
<PROPERTY>position = (0,0)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
<NAME>play</NAME>
<OUTCOME>yes</OUTCOME>
<OUTCOME>no</OUTCOME>
<PROPERTY>position = (0,10)</PROPERTY>
</VARIABLE>
<DEFINITION>
<FOR>outlook</FOR>
<GIVEN>play</GIVEN>
<TABLE>
0.23809523809523808 0.42857142857142855 0.3333333333333333
0.5384615384615384 0.07692307692307693 0.38461538461538464
</TABLE>
</DEFINITION>
<DEFINITION>
<FOR>play</FOR>
<TABLE>
0.6333333333333333 0.36666666666666664
</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""
GENIE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<BIF VERSION="0.3"  xmlns="http://www.cs.ubc.ca/labs/lci/fopi/ve/XMLBIFv0_3"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<NETWORK>
    <NAME>Network1</NAME>
    <PROPERTY>short = caf\xe9</PROPERTY>
    <VARIABLE TYPE="nature">
        <NAME>Succ\xe8s</NAME>
        <OUTCOME>Oui</OUTCOME> <OUTCOME>Non</OUTCOME>
        <PROPERTY>position = (66, 62)</PROPERTY>
    </VARIABLE>
    <VARIABLE TYPE="nature">
        <NAME>Forecast</NAME>
        <OUTCOME>Good</OUTCOME> <OUTCOME>Moderate</OUTCOME> <OUTCOME>Poor</OUTCOME>
    </VARIABLE>
    <DEFINITION><FOR>Succ\xe8s</FOR><TABLE>0.2 0.8</TABLE></DEFINITION>
    <DEFINITION>
        <FOR>Forecast</FOR>
        <GIVEN>Succ\xe8s</GIVEN>
        <TABLE><!-- Oui --> 0.4 0.4 0.2 <!-- Non --> 0.1 0.3 0.6</TABLE>
    </DEFINITION>
</NETWORK>
</BIF>
"""
PGMPY = """<BIF version="0.3" xmlns="http://www.cs.ubc.ca/labs/lci/fopi/ve/XMLBIFv0_3">
  <NETWORK>
    <VARIABLE TYPE="nature">
      <NAME>a</NAME><OUTCOME>a_0</OUTCOME><OUTCOME>a_1</OUTCOME>
    </VARIABLE>
    <VARIABLE TYPE="nature">
      <NAME>b</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME><OUTCOME>2</OUTCOME>
    </VARIABLE>
    <VARIABLE TYPE="nature"><NAME>x</NAME><OUTCOME>n</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
    <DEFINITION><FOR>a</FOR><TABLE>0.3 0.7 </TABLE></DEFINITION>
    <DEFINITION><FOR>b</FOR><TABLE>0.2 0.3 0.5 </TABLE></DEFINITION>
    <DEFINITION><FOR>x</FOR><GIVEN>b</GIVEN><GIVEN>a</GIVEN>
      <TABLE>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.45 0.55 0.625 0.375 </TABLE></DEFINITION>
  </NETWORK>
</BIF>"""


def test_weka_with_its_document_type():
    net = parse(WEKA.encode(), "f").network("play")
    assert net.structure == bnlr.Structure([("play", "outlook")], "play", ["outlook", "play"])
    assert net.states["outlook"] == ("sunny", "'very < cloudy'", "rainy")
    assert net.cpts["outlook"][1].tolist() == [
        0.5384615384615384,
        0.07692307692307693,
        0.38461538461538464,
    ]


def test_genie_in_latin_1():
    net = parse(GENIE.encode("latin-1"), "f").network("Succès")
    assert net.cpts["Forecast"].tolist() == [[0.4, 0.4, 0.2], [0.1, 0.3, 0.6]]
    assert net.states["Succès"] == ("Oui", "Non")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "ascii"])
def test_encodings(encoding):
    declared = {"utf-8-sig": "UTF-8", "cp1252": "windows-1252", "ascii": "US-ASCII"}
    head = f'<?xml version="1.0" encoding="{declared.get(encoding, encoding)}"?>'
    text = PGMPY.replace("<NAME>a<", "<NAME>é<").replace(">a</FOR>", ">é</FOR>")
    text = text.replace(">a</GIVEN>", ">é</GIVEN>") if encoding != "ascii" else PGMPY
    name = "a" if encoding == "ascii" else "é"
    assert parse((head + text).encode(encoding), "f").structure(name).class_name == name


def test_pgmpy_s_last_parent_is_fast():
    cpt = parse(PGMPY.encode(), "f").network("x").cpts["x"]
    np.testing.assert_array_equal(cpt[..., 0], [[0.1, 0.2], [0.3, 0.4], [0.45, 0.625]])


# What to replace in pgmpy's file, by what, and what the error says, with its line.
REFUSED = {
    "not XML": ("<NETWORK>", "<NETWORK", "f:3:.*not valid XML"),
    "another root": ("BIF", "BIFF", "f:1:.*root is <BIFF>, not <BIF>; of"),
    "no network": ("NETWORK>", "NETWORKS>", "no <NETWORK>|outside <NETWORK>"),
    "a decision": ('TYPE="nature"', 'TYPE="decision"', "f:3:.*type 'decision'; only"),
    "no name": ("<NAME>a</NAME>", "", "<VARIABLE> from line 3 has 0 <NAME>, not one"),
    "two names": ("<NAME>a</NAME>", "<NAME>a</NAME><NAME>e</NAME>", "has 2 <NAME>, not one"),
    "no states": ("<OUTCOME>a_0</OUTCOME><OUTCOME>a_1</OUTCOME>", "", "f:3: .*has no states"),
    "two tables": ("</TABLE>", "</TABLE><TABLE>1</TABLE>", "has 2 <TABLE>, not one"),
    "no table": ("<TABLE>0.3 0.7 </TABLE>", "", r"f:10: P\(a\) lacks the row"),
    "an unknown node": ("<GIVEN>b<", "<GIVEN>B<", "f:12: the node 'B' is not defined"),
    "too few numbers": ("0.1 0.9 0.2", "0.1 0.9", r"f:12: P\(x \| b, a\) has 11 .* need 12"),
    "no number": ("0.3 0.7", "0.3 0,7", "f:10: '0,7' is not a number"),
    "one inside another": ("<NAME>a", "<DEFINITION></DEFINITION><NAME>a", "inside another element"),
    "no closing tag": ("</BIF>", "", "f:15:.*no element found; is it complete"),
    "two networks": ("</NETWORK>", "</NETWORK><NETWORK/>", "a second <NETWORK>"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    everywhere = name in ("another root", "no network")
    text = PGMPY.replace(old, new) if everywhere else PGMPY.replace(old, new, 1)
    assert text != PGMPY
    with pytest.raises(ModelFileError, match=said):
        parse(text.encode(), "f").network("x")


LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
ATTACKS = {
    "billion laughs": f'<!DOCTYPE BIF [<!ENTITY l0 "ha">{LAUGHS}]><BIF>&l9;</BIF>',
    "quadratic": f'<!DOCTYPE BIF [<!ENTITY a "{"a" * 10**5}">]><BIF>{"&a;" * 10**4}</BIF>',
    "a file": '<!DOCTYPE BIF [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF>&a;</BIF>',
    "a parameter entity": '<!DOCTYPE BIF [<!ENTITY % a SYSTEM "http://x.invalid/a"> %a;]><BIF/>',
    "an entity of an outer document type": '<!DOCTYPE BIF SYSTEM "a.dtd"><BIF>&a;</BIF>',
    "an entity of a public document type": '<!DOCTYPE BIF PUBLIC "a" "b"><BIF>&nbsp;</BIF>',
}


@pytest.mark.parametrize("name", ATTACKS)
def test_entities_are_refused(name):
    with pytest.raises(ModelFileError, match="entities, which are not read"):
        parse(ATTACKS[name].encode(), "f")


@pytest.mark.parametrize("encoding", ["utf-7", "idna", "rot13", "zip", "unicode_escape", "cp037"])
def test_odd_encodings_are_refused(encoding):
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    with pytest.raises(ModelFileError, match=r"f:1: the encoding .* convert it to UTF-8"):
        parse((head + PGMPY).encode(), "f")


def test_bytes_that_are_not_of_their_encoding():
    for raw in (b"\xff" + PGMPY.encode(), GENIE.encode("latin-1").replace(b"ISO-8859-1", b"UTF-8")):
        with pytest.raises(ModelFileError, match="f:1: not utf-8 text"):
            parse(raw, "f")


@pytest.mark.parametrize(
    "text",
    [
        WEKA,
        "<BIF>",
        "\n<bif version='0.3'><network/></bif>",
        "<?xml version='1.0'?>\r\n<!DOCTYPE BIF SYSTEM 'bif.dtd'>\n<BIF/>",
        "<!-- <GraphXML> --><?pi <x> ?><BIF\n>",
    ],
)
def test_its_root_is_what_it_is_known_by(text):
    assert recognised(text) == ".xmlbif"


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>",
        "<?xml version='1.0'?>\n<!-- <BIF> -->\n<pnml>",
        "<!DOCTYPE BIF><smiles>",
        "<BIFX>",
        "a -> b <BIF>",
        "",
    ],
)
def test_other_xml_is_not_taken_for_it(text):
    assert recognised(text) == ""


@pytest.mark.parametrize(
    "piece", ["<?a?>", "<!---->", "<!DOCTYPE a[]>", "<!DOCTYPE a[] ]", "\n", "<"]
)
def test_a_hostile_beginning_takes_no_longer_than_it_is_long(piece):
    assert recognised(piece * 20_000) == ""
