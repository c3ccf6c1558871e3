"""How the commands' parsers are made alike."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


def add_command(
    commands: Commands, name: str, summary: str, about: str, examples: str
) -> argparse.ArgumentParser:
    """Add a sub-command with a description above its options and examples below them."""
    return commands.add_parser(
        name,
        help=summary,
        description=about,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
