"""Command lines, one after another in one process: `python -m tests.security.commands < LINES`.

Each line is a JSON list of arguments; for each a JSON line tells the exit status and what was
printed, with the traceback of what nobody meant.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
import warnings

from ligament.cli import app


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(outcome(json.loads(line))), flush=True)


def outcome(arguments: list[str]) -> dict[str, object]:
    text, status = io.StringIO(), 0
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            status = app.run(arguments, is_supervised=False)
        except BaseException:
            status = -1
            traceback.print_exc(file=text)
    return {"arguments": arguments, "status": status, "text": text.getvalue()}


if __name__ == "__main__":
    main()
