"""Humanoids and their motions: the rules stand beside what plays them."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.check.subject import Subject
from ligament.extensions.humanoid import vrm, vrmc_vrm, vrmc_vrm_animation
from ligament.findings import Finding
from ligament.rig import humanoid_problems, tpose_problems


def humanoid_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with avatars and motion files, and how far they are from a T-pose."""
    names = (vrmc_vrm.NAME, vrm.NAME, vrmc_vrm_animation.NAME)
    if any(subject.document.extension(name) is not None for name in names):
        yield from humanoid_problems(subject.document)
        yield from tpose_problems(subject.document)
