"""Every index that Ligament knows of leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.check.codes import finding
from ligament.check.subject import Subject
from ligament.findings import Finding
from ligament.gltf import references


def index_rules(subject: Subject) -> Iterator[Finding]:
    """Yield indices past the end of what they count in, whatever extension they stand in."""
    lengths = {name: len(items) for name, items in references.arrays(subject.document).items()}
    for reference in references.references(subject.document):
        count = lengths.get(reference.target, 0)
        if reference.index >= count:
            message = f"there is no {reference.index} in {reference.target}"
            remedy = f"use 0 to {count - 1}" if count else "remove it"
            yield finding("UNRESOLVED_REFERENCE", reference.pointer, message, remedy)
