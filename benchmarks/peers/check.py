"""Load and check files with Ligament and print, as JSON, the time [s] it took and what it found.

Usage: python check.py '{"sources": [...], "warm_up" or null}'
"""

import json
import sys
import time
import warnings
from typing import Any

import ligament as lg


def measure(source: str) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        document = lg.load(source)
        counts = lg.check(document).counts
    except lg.LigamentError:
        return {"check": 0.0, "serious": 1}  # what is no JSON
    seconds = time.perf_counter() - start
    del document  # to free it does not count: the other program leaves that to its collector
    return {"check": seconds, "serious": counts["error"] + counts["warning"]}


warnings.simplefilter("ignore")
request = json.loads(sys.argv[1])
if request["warm_up"]:
    measure(request["warm_up"])
print(json.dumps([measure(source) for source in request["sources"]]))
