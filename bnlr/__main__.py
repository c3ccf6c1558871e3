"""``python -m bnlr``: the command ``bnlr``, where its script is not on the path."""

from bnlr.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
