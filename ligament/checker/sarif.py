"""Findings as SARIF 2.1.0, which code hosts and editors show next to the files."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from ligament import __version__
from ligament.checker.files import CheckedFile
from ligament.checker.report import Issue, unlisted_in_words
from ligament.findings import CODES, Code, Severity
from ligament.gltf.source_text import Place
from ligament.gltf.storage.container import GLB_SUFFIXES

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "ligamentPlace/v1"
"""The name of the fingerprint; a different formula needs a different number."""

LEVELS: dict[Severity, Literal["error", "warning", "note"]] = {
    "error": "error",
    "warning": "warning",
    "info": "note",
    "hint": "note",
}

_RULES = {code: index for index, code in enumerate(CODES)}


def to_sarif(files: Sequence[CheckedFile], *, base: Path | None = None) -> dict[str, Any]:
    """Return a SARIF log of one run; URIs are relative to `base`, by default the working folder.

    Findings in text files have lines and columns if `CheckedFile.places` has them; binary files
    have no lines, so the message names the place.
    """
    base = Path(os.path.normpath((base or Path()).absolute()))
    seen: Counter[str] = Counter()
    results = [_result(file, issue, base, seen) for file in files for issue in file.report]
    driver = {
        "name": "Ligament",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code, entry) for code, entry in CODES.items()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(files, base)],
        "artifacts": [_artifact(file.file, base) for file in files],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(files: Sequence[CheckedFile], base: Path) -> dict[str, Any]:
    """Report whether all files could be read, and which have unlisted findings."""
    result: dict[str, Any] = {"executionSuccessful": all(file.is_readable for file in files)}
    notes = [
        {
            "level": "warning",
            "message": _message(unlisted_in_words(file.report)),
            "locations": [{"physicalLocation": {"artifactLocation": _location(file.file, base)}}],
        }
        for file in files
        if file.report.unlisted
    ]
    return {**result, "toolExecutionNotifications": notes} if notes else result


def _rule(code: str, entry: Code) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": _message(entry.meaning),
        "fullDescription": _message(f"{entry.meaning} See {entry.clause}."),
        "help": _message(entry.remedy),
        "defaultConfiguration": {"level": LEVELS[entry.severity]},
        "properties": {"severity": entry.severity, "tags": ["glTF"]},
    }


def _result(file: CheckedFile, issue: Issue, base: Path, seen: Counter[str]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _location(file.file, base)}
    text = issue.message
    location: dict[str, Any] = {"physicalLocation": physical}
    if issue.pointer:  # without one it is the whole file, which has no region
        name = issue.pointer.rpartition("/")[2]
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": issue.pointer}]
        if (place := file.places.get(issue.pointer)) is not None:
            physical["region"] = _region(place)
        else:
            text = f"{_place_in_words(file, issue.pointer)}: {text}"
    uri = physical["artifactLocation"]["uri"]
    return {
        "ruleId": issue.code,
        "ruleIndex": _RULES[issue.code],
        "level": LEVELS[issue.severity],
        "message": _message(text),
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: _fingerprint(uri, issue, seen)},
        "properties": {"severity": issue.severity},
    }


def _place_in_words(file: CheckedFile, pointer: str) -> str:
    owner = file.owners.get(pointer)
    return pointer if owner is None else f"{owner}, {pointer}"


def _message(text: str) -> dict[str, str]:
    """Return plain text: braces would be placeholders, [a](b) a link (SARIF 3.11.5 and 3.11.6)."""
    text = text.replace("{", "{{").replace("}", "}}")
    return {"text": re.sub(r"\]\(", "] (", text)}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _artifact(file: Path, base: Path) -> dict[str, Any]:
    is_binary = file.suffix.lower() in GLB_SUFFIXES
    return {
        "location": _location(file, base),
        "roles": ["analysisTarget"],
        "mimeType": "model/gltf-binary" if is_binary else "model/gltf+json",
    }


def _location(file: Path, base: Path) -> dict[str, str]:
    """Locate a file: relative if it is below `base`, so that it is valid on other machines."""
    absolute = Path(os.path.normpath(file.absolute()))
    if not absolute.is_relative_to(base):
        return {"uri": absolute.as_uri()}
    relative = absolute.relative_to(base).as_posix()
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": "%SRCROOT%"}


def _fingerprint(uri: str, issue: Issue, seen: Counter[str]) -> str:
    """Identify a finding by what is stable between runs: file, code, pointer; not the line."""
    text = "\n".join((uri, issue.code, issue.pointer))
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=12).hexdigest()
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
