"""Networks in other programs' formats, BIF, XMLBIF and Hugin NET, and those programs' objects.

A format is a file with ``BEGINNING``, by which it is known where no extension says it, ``parse``,
which returns a `parsed.ParsedNetwork`, and ``render``; `bnlr.io.files` lists them. What is checked
or escaped alike for all stands beside them once.
"""
