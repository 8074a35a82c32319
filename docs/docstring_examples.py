"""Shows the `>>>` examples of docstrings as code; a Griffe extension that mkdocs.yml names."""

from __future__ import annotations

from typing import Any

from griffe import Extension, Object


class FencedExamples(Extension):  # type: ignore[misc, unused-ignore]
    """Puts fences around every paragraph of a docstring that begins with `>>>`."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object as it is collected."""
        if obj.docstring:
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(map(_fenced, paragraphs))


def _fenced(paragraph: str) -> str:
    return f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else paragraph
