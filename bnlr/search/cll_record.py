"""Where pickles of version 0.1.0 look for `CLLSearch`; nothing else comes here."""

from bnlr.search.cll.record import CLLSearch

__all__ = ["CLLSearch"]
