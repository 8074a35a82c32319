"""Motion at scale: every clip of a folder retargeted to every avatar of another."""

from ligament.batches.motions.pair import PairOptions
from ligament.batches.motions.run import retarget_all, retarget_pairs

__all__ = ["PairOptions", "retarget_all", "retarget_pairs"]
