"""Motion at scale: every clip of a folder retargeted to every avatar of another."""

from ligament.batches.motions.pair import PairOptions
from ligament.batches.motions.run import pairs, retarget_all, retarget_pairs

__all__ = ["PairOptions", "pairs", "retarget_all", "retarget_pairs"]
