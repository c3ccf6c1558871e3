"""Text that a terminal shows and does not obey: control characters are written as escapes."""


def printable(text: str, keep: str = "\n") -> str:
    r"""Return ``text`` with what `str.isprintable` denies as Python writes it: ``\x1b`` for escape.

    That is control and format characters, among them marks that turn the direction of writing, and
    all blanks but the plain one. Characters in ``keep`` stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
