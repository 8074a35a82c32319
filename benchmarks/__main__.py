"""Runs the benchmarks: `python -m benchmarks [AREA...] [--quick]`."""

from __future__ import annotations

import argparse
import importlib
import time

from benchmarks.harness import console

AREAS = (
    "document",
    "constraints",
    "springs",
    "retarget",
    "bodies",
    "joints",
    "qualities",
    "speeds",
    "bake",
    "check",
    "convert",
    "fitting",
    "view",
    "start",
    "batch",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"any of: {', '.join(AREAS)}")
    parser.add_argument("--quick", action="store_true", help="small inputs and few rounds")
    options = parser.parse_args()
    if unknown := set(options.areas) - set(AREAS):
        parser.error(f"no area {', '.join(sorted(unknown))}; there are {', '.join(AREAS)}")
    for area in options.areas or AREAS:
        start = time.perf_counter()
        findings = importlib.import_module(f"benchmarks.{area}").measure(quick=options.quick)
        path = findings.finish()
        console.print(f"  {time.perf_counter() - start:.0f} s, figures in {path}\n")


main()
