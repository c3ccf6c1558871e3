"""XML from strangers as elements that begin and end: no entities, nothing outside the file."""

import codecs
import re
from typing import NoReturn
from xml.parsers import expat

from bnlr.errors import ModelFileError
from bnlr.io.encodings import encoding_of
from bnlr.io.files import remedy_for

PREFIX = r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\b[^\[>]*(?:\[.*?\]\s*)?>)*+"
"""What may stand before a root: declarations, comments, a document type; linear in time."""

_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ASCII = bytes(range(32, 127)) + b"\r\n\t"
# They decode ASCII as it is and yet run on into what is no text.
_ODD = ("utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
_BLANKS = " \t\r\n"
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")
_MAX_DEPTH = 32
_ROOTS = {"ANALYSISNOTEBOOK": ".xbn", "PROBMODELXML": ".pgmx"}  # of formats that are refused


def decoded_xml(raw: bytes, source: str) -> str:
    """Return the text of an XML file in the encoding that it declares.

    Raises
    ------
    ModelFileError
        An encoding that the standard library does not know or that does not begin as ASCII does, or
        bytes that are not of it.
    """
    declared = _DECLARATION.match(raw.removeprefix(codecs.BOM_UTF8))
    name = encoding_of(raw[:4], None, ModelFileError)
    if name is None:
        name = declared.group(1).decode("ascii").lower() if declared else "utf-8"
        if name.startswith("utf-16") and b"\0" not in raw[:64]:
            name = "utf-8"  # .NET declares what its strings are, whatever it writes
        if not _is_fit_encoding(name):
            raise ModelFileError(
                f"{source}:1: the encoding {name!r} is not read; convert it to UTF-8"
            )
    try:
        return raw.decode(name).removeprefix("\ufeff")
    except UnicodeError as error:
        raise ModelFileError(
            f"{source}:1: not {name.removesuffix('-sig')} text; convert it to UTF-8, or name its "
            "encoding: encoding= (--encoding in the shell)"
        ) from error


def is_fit(text: str) -> bool:
    """Whether an element's text comes back as it is."""
    return bool(text) and text == text.strip() and not _UNFIT.search(text)


def _is_fit_encoding(name: str) -> bool:
    """Whether the standard library knows the encoding as one of texts that extends ASCII."""
    try:
        is_known = codecs.lookup(name).name not in _ODD
        return is_known and _ASCII.decode(name) == _ASCII.decode("ascii")
    except (LookupError, UnicodeError, ValueError):
        return name.startswith("utf-16")


class ElementReader:
    """A parser of XML; what the elements mean is for `begin` and `end` of those who inherit.

    Parameters
    ----------
    source
        What errors call the file.
    root
        The tag of the root, in capitals if `ignores_case`.
    ignores_case
        Whether tags are turned to capitals.
    """

    def __init__(self, source: str, root: str, *, ignores_case: bool) -> None:
        self.source = source
        self.path: list[str] = []
        self._root, self._ignores_case = root, ignores_case
        self._texts: list[str] = []
        self._n_skipped = 0
        self._expat = expat.ParserCreate("utf-8")
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._finish
        self._expat.CharacterDataHandler = self._texts_append
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._refuse_entity
        self._expat.ExternalEntityRefHandler = self._refuse_entity
        self._expat.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Take an element's beginning; ``path`` ends in its tag."""
        raise NotImplementedError

    def end(self, tag: str, text: str) -> None:
        """Take an element's end and the text since the last tag; ``path`` ends in its parent."""
        raise NotImplementedError

    def read(self, text: str) -> None:
        """Parse a whole document.

        Raises
        ------
        ModelFileError
            With line and column.
        """
        content = text.lstrip(_BLANKS)  # some programs write a blank line before the declaration
        self._n_skipped = text.count("\n", 0, len(text) - len(content))
        try:
            self._expat.Parse(content.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            where = f"{self.source}:{self._n_skipped + error.lineno}:{error.offset + 1}"
            message = expat.ErrorString(error.code)
            raise ModelFileError(f"{where}: not valid XML: {message}; is it complete?") from error

    @property
    def line(self) -> int:
        """The line that is read."""
        return self._n_skipped + self._expat.CurrentLineNumber

    def fail(self, message: str) -> NoReturn:
        """Raise ModelFileError with line and column."""
        column = self._expat.CurrentColumnNumber
        raise ModelFileError(f"{self.source}:{self.line}:{column + 1}: {message}")

    def _texts_append(self, text: str) -> None:
        self._texts.append(text)

    def _refuse_entity(self, *_: object) -> NoReturn:
        self.fail("the file declares or uses entities, which are not read; write the text itself")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.upper() if self._ignores_case else name
        if not self.path and tag != self._root:
            other = _ROOTS.get(name.upper(), "")
            remedy = f", {other}; {remedy_for(other)}" if other else ""
            self.fail(f"the root is <{name:.40}>, not <{self._root}>; of another format{remedy}")
        if len(self.path) >= _MAX_DEPTH:
            self.fail(f"nested more than {_MAX_DEPTH} levels deep")
        self.path.append(tag)
        self._texts.clear()
        self.begin(tag, attributes)

    def _finish(self, _: str) -> None:
        tag = self.path.pop()
        text = "".join(self._texts).strip(_BLANKS)
        self._texts.clear()
        self.end(tag, text)
