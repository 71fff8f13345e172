"""Numbers, entries and steps in words, as findings print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.entries import Entry
from vjpcli.graph.node import Node
from vjpcli.graph.notation import number_text
from vjpcli.graph.operation import constant, leaf

FEW_DIGITS = 1e7
"""Size from which whole numbers are written with an exponent."""

LONGEST_TEXT = 40
"""Characters of the user's text that a sentence repeats; the caret shows longer ones."""

LONG_TEXT = 32
"""Characters from which the arguments of a call are left out in a table."""

MOST_SHOWN = 6
"""Entries up to which an array is written out in a sentence."""


def number(value: float) -> str:
    """A number in a sentence: 0, 0.25, nan, ∞, -∞."""
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    return f"{value:.6g}" if abs(value) >= FEW_DIGITS else number_text(np.asarray(value))


def numbers(array: NDArray[Any]) -> str:
    """A small array as the screen writes it, its entries two spaces apart."""
    return "  ".join(number(float(entry)) for entry in np.ravel(array))


def factor(value: float) -> str:
    """A number as a factor in a product: negative ones in brackets."""
    text = number(value)
    return f"({text})" if text.startswith("-") else text


def entry_name(name: str, entry: Entry) -> str:
    """`x.grad[0, 7]`, or the bare name of a scalar."""
    return f"{name}[{', '.join(map(str, entry))}]" if entry else name


def place_name(evidence: Evidence, node: Node, entry: Entry) -> str:
    """An entry of a step by its name: `x[0]`, `y[1]`; a constant by its text."""
    if node.operation is constant:
        return evidence.text_of(node)
    if node.operation is leaf:
        return entry_name(node.static["name"], entry)
    return entry_name(evidence.names.get(node, node.operation.name), entry)


def gradient_name(leaf: str, entry: Entry | None) -> str:
    """`x.grad[0, 7]`; the bare `x.grad` for a scalar or for the whole."""
    return entry_name(f"{leaf}.grad", entry or ())


def words_of(evidence: Evidence, node: Node) -> str:
    """The user's own text of a node where it is short enough for a sentence, else its name.

    A call goes by the name that the user wrote: inner parts of an operation share it.
    """
    text = evidence.text_of(node)
    if len(text) <= LONGEST_TEXT and "\n" not in text:
        return text
    call = re.match(r"[\w.]+\(", text)
    if call is not None and _closes_at_end(text, call.end()):
        return f"{call.group()}…)"
    return f"{node.operation.name}(…)"


def step_text(evidence: Evidence, node: Node) -> str:
    """A step in the user's own text; an inner part of a composite operation names both."""
    text = evidence.text_of(node)
    if node.span is None or node.operation is leaf:
        return text
    last = last_node_at(evidence, node)
    return text if last is node else f"{node.operation.name} in {text}"


def last_node_at(evidence: Evidence, node: Node) -> Node:
    """The node that gives the value of the text at which `node` stands."""
    found = node
    for other in evidence.graph.nodes:
        if other.span == node.span and other.serial > found.serial:
            found = other
    return found


def shortened(text: str, inner: Iterable[str]) -> str:
    """`where(…)` for a call that contains one of the other texts, or that is long."""
    call = re.match(r"[\w.]+\(", text)
    if call is None or not _closes_at_end(text, call.end()):
        return text
    long = len(text) > LONG_TEXT or any(one != text and one in text for one in inner)
    return f"{call.group()}…)" if long else text


def _closes_at_end(text: str, start: int) -> bool:
    """Whether the bracket opened before `start` is closed by the last character."""
    depth = 1
    for position, character in enumerate(text[start:], start):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def multiplied(text: str) -> str:
    """`2·x` for `2*x`; powers stay."""
    return re.sub(r"(?<!\*)\*(?!\*)", "·", text)


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
