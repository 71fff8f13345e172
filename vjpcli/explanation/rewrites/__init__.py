"""Rewrites: programs that say the same and survive, proposed from patterns and proven by running.

`proven_fix` is the way in. `patterns.py` holds the formulas as data, `guards.py` the double
where, `match.py` the notation, `prove.py` the trial. Nothing is ever suggested that was not
run on the user's own values and seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vjpcli.errors import Fix, Span
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.wording import entry_name, number
from vjpcli.explanation.rewrites.guards import (
    double_where,
    guarded_input,
    masked_product,
    removable,
)
from vjpcli.explanation.rewrites.match import Bindings, Text, keywords, matches
from vjpcli.explanation.rewrites.patterns import EXACT, NUDGES, Row, parsed
from vjpcli.explanation.rewrites.prove import EPS, LOST_DIGITS, Proof, prove, tried_out
from vjpcli.explanation.rewrites.says import says
from vjpcli.explanation.rewrites.trouble import Proposal, Trouble
from vjpcli.parser.syntax import Expression

__all__ = [
    "Proof",
    "Proposal",
    "Trouble",
    "exact_proposals",
    "proposals",
    "prove",
    "proven_fix",
    "steadier_fix",
    "tried_out",
]

LARGEST_PROGRAM = 20_000
"""Characters of a program, and nodes of its graph, up to which fixes are sought."""

TRIALS = ((200_000, 40), (5_000_000, 8), (40_000_000, 2))
"""(entries over all nodes, proposals that may be run): a large run is not repeated often."""

CODES_FOR_NUDGES = {
    "inf-slope", "nan-zero-seed", "nan-inf-times-zero", "nan-zero-times-inf", "nan-masking",
    "nan-slope", "log-of-zero", "zero-over-zero", "zero-times-inf", "edge-of-domain",
    "inf-minus-inf",
}  # fmt: skip
"""Findings that a small number added to an operand may cure without lying about the value."""


def proven_fix(evidence: Evidence, trouble: Trouble) -> Fix | None:
    """The most specific rewrite that cures the trouble, or None where none was found.

    One that leaves no nan or infinity anywhere is preferred to one that cures this trouble alone.
    """
    source = evidence.problem.program.source
    entries = sum(node.size for node in evidence.graph.nodes)
    trials = next((count for limit, count in TRIALS if entries <= limit), 0)
    if max(len(source.text), len(evidence.graph.nodes)) > LARGEST_PROGRAM:
        return None
    text = Text.of(evidence.problem.program, evidence.problem.settings.library)
    tried: set[str] = {source.text}
    partial: Proof | None = None
    for proposal in proposals(text, trouble, evidence.problem.settings.dtype):
        if proposal.text in tried:
            continue
        if trials == 0:
            break
        trials -= 1
        tried.add(proposal.text)
        proof = prove(evidence, proposal, trouble)
        if proof is not None and proof.is_finite:
            return Fix(proposal.text, source.text, says=says(evidence, proof, trouble))
        if proof is not None and not _is_cheaper(partial, proof):
            partial = proof
    if partial is None:
        return None
    told = f"{says(evidence, partial, trouble)}; not finite elsewhere yet"
    return Fix(partial.proposal.text, source.text, says=told)


def _is_cheaper(one: Proof | None, other: Proof) -> bool:
    """Whether a proof found earlier is as good: the first, unless it moves the value."""
    return one is not None and one.proposal.changes_value <= other.proposal.changes_value


def steadier_fix(
    evidence: Evidence, trouble: Trouble, leaf: str, index: tuple[int, ...], was: float, wide: float
) -> Fix | None:
    """The first rewrite that keeps the digits which the program loses, or None.

    Its gradient at `leaf[index]`, in the program's own dtype, must lie where a wider format puts
    it (`wide`), far closer than it `was`; and the outputs may move only by what was lost.
    """
    source = evidence.problem.program.source
    if max(len(source.text), len(evidence.graph.nodes)) > LARGEST_PROGRAM:
        return None
    text = Text.of(evidence.problem.program, evidence.problem.settings.library)
    for proposal in _rows(EXACT, text, trouble, evidence.problem.settings.dtype):
        proof = tried_out(evidence, proposal)
        if proof is None or proposal.text == source.text:
            continue
        found = float(proof.gradients[leaf][index])
        error = abs(found - wide)
        keeps = all(
            LOST_DIGITS.allows(evidence.values[node], proof.values[name])
            for name, node in evidence.graph.outputs.items()
        )
        if keeps and error <= 1e-3 * abs(wide) and 10 * error < abs(was - wide):
            shown = f"{entry_name(f'{leaf}.grad', index)} = {number(found)}"
            return Fix(proposal.text, source.text, says=f"{proposal.why}   → {shown}")
    return None


def exact_proposals(evidence: Evidence, trouble: Trouble) -> Iterator[Proposal]:
    """The rewrites that give the same function, each text once."""
    problem = evidence.problem
    tried = {problem.program.source.text}
    if max(len(problem.program.source.text), len(evidence.graph.nodes)) > LARGEST_PROGRAM:
        return
    text = Text.of(problem.program, problem.settings.library)
    for proposal in _rows(EXACT, text, trouble, problem.settings.dtype):
        if proposal.text not in tried:
            tried.add(proposal.text)
            yield proposal


def proposals(text: Text, trouble: Trouble, dtype: str = "float64") -> Iterator[Proposal]:
    """Everything worth trying, the most specific first."""
    if trouble.code == "nan-untaken-branch":
        yield from double_where(text, trouble)
    if trouble.inputs:
        yield from guarded_input(text, trouble)
    yield from _rows(EXACT, text, trouble, dtype)
    if trouble.code != "nan-untaken-branch":
        yield from double_where(text, trouble)
    yield from masked_product(text, trouble)
    yield from removable(text, trouble)
    if trouble.code in CODES_FOR_NUDGES:
        yield from _rows(NUDGES, text, trouble, dtype)


def _rows(rows: Iterable[Row], text: Text, trouble: Trouble, dtype: str) -> Iterator[Proposal]:
    parts = list(text.parts())
    for row in rows:
        pattern = parsed(row.pattern)
        found = [(part, bound) for part in parts for bound in matches(pattern, part, text)]
        here = [one for one in found if trouble.concerns(one[0].span) or text.definitions]
        for part, bound in here:
            for edit in _written(row, part, bound, text, dtype):
                yield Proposal(text.edited({part.span: edit}), row.why, row.changes_value)
        if here and len(found) > 1 and not row.only_once:
            yield from _everywhere(row, found, text, dtype)


def _everywhere(
    row: Row, found: list[tuple[Expression, Bindings]], text: Text, dtype: str
) -> Iterator[Proposal]:
    """The row written wherever it fits: two entries may have the same trouble in two places."""
    edits: dict[Span, str] = {}
    for part, bound in found:
        apart = all(part.span.end <= one.start or one.end <= part.span.start for one in edits)
        edit = next(_written(row, part, bound, text, dtype), None) if apart else None
        if edit is not None:
            edits[part.span] = edit
    if edits:
        yield Proposal(text.edited(edits), row.why, row.changes_value)


def _written(row: Row, part: Expression, bound: Bindings, text: Text, dtype: str) -> Iterator[str]:
    """The row in the place of `part`, in the user's library first, then with bare names."""
    for prefix in dict.fromkeys((text.prefix(part), "")):
        if not prefix and "@linalg." in row.instead:
            continue  # the module is there for a library's sake: bare, the name alone will do
        words = keywords(prefix, bound)
        instead = row.instead.replace("@", prefix).format(
            **{"rest": "", **bound}, **words, eps=EPS[dtype]
        )
        if text.needs_brackets(part, parsed(instead)):
            instead = f"({instead})"
        yield instead
