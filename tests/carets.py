"""The user's own text under the carets of a Diagnostic."""

from __future__ import annotations

from vjpcli.errors import Diagnostic


def marked(diagnostic: Diagnostic) -> list[str]:
    """Every piece that carries a caret, the primary one first."""
    assert diagnostic.source is not None
    text = diagnostic.source.text
    assert all(label.span.end <= len(text) for label in diagnostic.labels)
    return [text[label.span.start : label.span.end] for label in diagnostic.labels]


def blamed(diagnostic: Diagnostic) -> str:
    """The piece under the primary caret."""
    return marked(diagnostic)[0]
