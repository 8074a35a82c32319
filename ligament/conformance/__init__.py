"""The conformance suite: cases, each about one sentence of a specification, and their judge.

Nothing here but `player` shares code with what is judged: cases are built, expected values derived
and recordings measured by modules of this package alone.
"""
