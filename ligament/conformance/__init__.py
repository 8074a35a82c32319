"""The conformance suite: cases, each about one sentence of a specification, and their judge.

Only `player` shares code with the library that is judged: cases are built, expected values derived
and recordings measured by modules of this package alone.
"""
