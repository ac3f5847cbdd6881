"""`python -m stiction ..`: the command that comes with the package."""

import os
import sys

from ._moving import command


def main() -> None:
    program = command()
    if program is None:
        sys.exit("stiction: the command is not there")
    os.execv(program, ["stiction", *sys.argv[1:]])


if __name__ == "__main__":
    main()
