"""Write the JSON Schemas for an editor: `python -m ligament.check.schemas FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from ligament.check.schemas import write

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ligament.check.schemas FOLDER")
    write(Path(sys.argv[1]))
