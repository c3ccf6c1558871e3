"""Where pickles of version 0.1.0 look for `Separation`; nothing else comes here."""

from bnlr.learn.proof.separation import Separation

__all__ = ["Separation"]
