"""Networks in other programs' formats, BIF, XMLBIF and Hugin NET, and those programs' objects.

A format is a file with ``parse``, which returns a `parsed.ParsedNetwork`, and ``render``; `formats`
lists them. What is checked or escaped alike for all stands beside them once.
"""
