"""Load and check files with Ligament and print, as JSON, the time [s] it took and what it found.

Usage: python check.py '{"sources": [...], "warm_up" or null}'
"""

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from ligament.check.files import FileTask, check_file


def measure(source: str) -> dict[str, Any]:
    start = time.perf_counter()
    report = check_file(FileTask(Path(source))).report
    seconds = time.perf_counter() - start
    counts = report.counts
    return {"check": seconds, "serious": counts["error"] + counts["warning"]}


warnings.simplefilter("ignore")
request = json.loads(sys.argv[1])
if request["warm_up"]:
    measure(request["warm_up"])
print(json.dumps([measure(source) for source in request["sources"]]))
