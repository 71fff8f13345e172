"""The condition of a declared place in the user's own words: `x == lo`, `A is singular`."""

from __future__ import annotations

import re

import numpy as np

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.wording import words_of
from vjpcli.explanation.problem import named_nodes
from vjpcli.graph.node import Node
from vjpcli.graph.notation import number_text
from vjpcli.graph.operation import constant


def place_in_words(evidence: Evidence, node: Node, place: str) -> str:
    """The declared condition, with the user's own text for the operands of `node`."""
    texts = {}
    named = named_nodes(evidence.problem.trace)
    for name, operand in zip(node.operation.operand_names, node.operands, strict=False):
        if operand.operation is constant and operand.size == 1:
            texts[name] = number_text(operand.static["value"].reshape(()))
        elif operand.span != node.span or operand in evidence.graph.inputs.values():
            text = named.get(operand) or words_of(evidence, operand)
            whole = re.fullmatch(r"[\w.\[\](), …-]*", text) or not re.search(r"[=<>/]", place)
            texts[name] = text if whole else f"({text})"
    for name, value in node.static.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            texts.setdefault(name, number_text(np.asarray(value)))
    if re.search(r"[=<>]", place):
        texts.setdefault(node.operation.name, words_of(evidence, node))
    if re.fullmatch(r"several \w+", place):
        return f"{place} entries are equal"
    if place == "all entries equal":
        return "all entries are equal"
    subject, _, state = place.partition(" ")
    names = node.operation.operand_names
    if "==" not in place and not state.startswith("is ") and ("/" in subject or subject in names):
        place = f"{subject} is {state}"
    if names and names[0] not in texts and node.operands[0].operation is not constant:
        texts[names[0]] = f"the argument of {node.operation.name}"
    said = re.sub(r"[A-Za-z_]\w*", lambda word: texts.get(word.group(), word.group()), place)
    # The two parts of a complex value have one text: where it is 0, both are.
    conditions = dict.fromkeys(said.split(" and "))
    return " and ".join(one for one in conditions if not _is_plain(one))


def _is_plain(condition: str) -> bool:
    """Whether a condition speaks of a static argument alone: 1 == 1, inf is inf or -inf."""
    one, _, other = condition.replace(" == ", " is ").partition(" is ")
    return one in other.split(" or ")
