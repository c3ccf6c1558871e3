"""``python -m studies NAME …``: reproduce a paper; ``python -m studies --help`` lists them."""

import sys

from studies.common import Command, main

COMMANDS = {
    "feelders-ivanovs": Command(
        "nine optimizers in three spaces: iterations and flops (Feelders & Ivanovs 2006)",
        "studies.feelders_ivanovs.command",
    ),
}

if __name__ == "__main__":
    sys.exit(main(COMMANDS))
