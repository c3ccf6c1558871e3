"""``python -m studies NAME …``: reproduce a paper; ``python -m studies --help`` lists them."""

import sys

from studies.common import Command, main

COMMANDS = {
    "feelders-ivanovs": Command(
        "nine optimizers in three spaces: iterations and flops (Feelders & Ivanovs 2006)",
        "studies.feelders_ivanovs.command",
    ),
    "missing-cells": Command(
        "log-loss with missing test cells, by learner; training for the holes to come",
        "studies.missing_cells.command",
    ),
    "wrong-structure": Command(
        "error as naive Bayes gets wronger: OFE, EM, APN and ELR (Greiner et al. 2005, 5.1.4)",
        "studies.wrong_structure.command",
    ),
}

if __name__ == "__main__":
    sys.exit(main(COMMANDS))
