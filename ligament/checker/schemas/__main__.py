"""Write the JSON Schemas for an editor: `python -m ligament.checker.schemas FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from ligament.checker.schemas import write

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ligament.checker.schemas FOLDER")
    write(Path(sys.argv[1]))
