"""Leaves that no gradient can reach: unused ones, and those behind flat operations."""

from __future__ import annotations

from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.telling import finding
from vjpcli.explanation.findings.wording import listed, words_of
from vjpcli.graph.free_names import free_names
from vjpcli.graph.node import Node, ancestors

NOTHING_REACHES = 'PyTorch raises "element 0 of tensors does not require grad"; JAX gives zeros'


def find(evidence: Evidence) -> list[Diagnostic]:
    """Findings output-constant, leaf-unused and gradient-flat."""
    leaves = {leaf: evidence.graph.inputs[leaf] for leaf in evidence.problem.leaves}
    if not leaves:
        return []
    read = ancestors(evidence.graph.outputs.values())
    unused = [leaf for leaf, node in leaves.items() if node not in read]
    if len(unused) == len(leaves):
        return [_output_constant(evidence)]
    connected = smoothly_connected(evidence)
    any_connected = not connected.isdisjoint(leaves.values())
    flat = [leaf for leaf, node in leaves.items() if node in read and node not in connected]
    found = _behind_flat_operations(evidence, flat, read, "note" if any_connected else "warning")
    return found + [_leaf_unused(evidence, leaf) for leaf in unused]


def smoothly_connected(evidence: Evidence) -> set[Node]:
    """Nodes from which some path to an output avoids every flat operation."""
    found = set(evidence.graph.outputs.values())
    for one in evidence.reverse.contributions:
        if one.reader in found and not one.reader.operation.flat:
            found.add(one.operand)
    return found


def _output_constant(evidence: Evidence) -> Diagnostic:
    output = evidence.problem.outputs[-1].name
    leaves = listed(list(evidence.problem.leaves))
    return finding(
        evidence,
        "output-constant",
        f"{output} does not depend on {leaves}, so every gradient is 0",
        "warning",
        places=[(node, "constant") for node in evidence.graph.outputs.values()],
        leaf=evidence.problem.leaves[0],
        notes=(NOTHING_REACHES,),
    )


def _leaf_unused(evidence: Evidence, leaf: str) -> Diagnostic:
    named = leaf in free_names(evidence.problem.program, evidence.problem.inputs)
    output = evidence.problem.outputs[-1].name
    return finding(
        evidence,
        "leaf-unused",
        f"{leaf}.grad is 0: "
        + (
            f"{leaf} is named, but {output} does not depend on its value"
            if named
            else f"{leaf} is not used in the expression"
        ),
        "note",
        leaf=leaf,
        notes=(f"PyTorch leaves {leaf}.grad at None; JAX and autograd give zeros",),
    )


def _behind_flat_operations(
    evidence: Evidence, leaves: list[str], read: set[Node], severity: str
) -> list[Diagnostic]:
    """One finding for all leaves that the same operations cut off."""
    cut: dict[tuple[Node, ...], list[str]] = {}
    for leaf in leaves:
        blockers = _blockers(evidence, evidence.graph.inputs[leaf], read)
        if all(_is_written(evidence, node) for node in blockers):
            cut.setdefault(blockers, []).append(leaf)
    found = []
    for blockers, cut_off in cut.items():
        places = {node.span: node for node in blockers}
        texts = listed([words_of(evidence, node) for node in list(places.values())[:3]])
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        names = listed([f"{leaf}.grad" for leaf in cut_off])
        found.append(
            finding(
                evidence,
                "gradient-flat",
                f"{names} {'is' if len(cut_off) == 1 else 'are'} 0: every path to the output goes "
                f"through {texts}{more}, where no gradient passes",
                "warning" if severity == "warning" else "note",
                places=[(node, _why_flat(node)) for node in places.values()],
                leaf=cut_off[0],
                numbers=(("slope", 0.0),),
                notes=(NOTHING_REACHES,)
                if severity == "warning" and any(node.kind != "real" for node in blockers)
                else (),
            )
        )
    return found


def _blockers(evidence: Evidence, leaf: Node, read: set[Node]) -> tuple[Node, ...]:
    """The first node on each path from `leaf` that passes nothing back."""
    passing = {(one.reader, one.operand) for one in evidence.reverse.contributions}
    carriers, blockers = {leaf}, []
    for node in evidence.graph.nodes:
        carried = [operand for operand in node.operands if operand in carriers]
        if not carried or node not in read:
            continue
        if node.kind == "real" and not node.operation.flat and _passes(node, carried, passing):
            carriers.add(node)
        else:
            blockers.append(node)
    return tuple(blockers)


def _passes(node: Node, operands: list[Node], passing: set[tuple[Node, Node]]) -> bool:
    return any((node, operand) in passing for operand in operands)


def _is_written(evidence: Evidence, node: Node) -> bool:
    """Whether the user wrote this operation; an inner step of another one is not to blame.

    The class labels of a cross entropy, for one, are data by nature.
    """
    operation = node.operation
    names = {operation.name, *operation.aliases}
    names |= {name for several in operation.library_names.values() for name in several}
    text = evidence.text_of(node)
    return any(name in text for name in names) or bool(operation.infix and operation.infix in text)


def _why_flat(node: Node) -> str:
    if node.kind == "condition":
        return "a condition has no derivative"
    if node.kind == "index":
        return "a position has no derivative"
    if node.operation.name == "stop_gradient":
        return "cut off here"
    return "flat: its slope is 0"
