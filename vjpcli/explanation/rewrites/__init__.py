"""Rewrites: programs that say the same and survive, proposed from patterns and proven by running.

`proven_fix` is the way in. `patterns.py` holds the formulas as data, `guards.py` the double
where, `match.py` the notation, `prove.py` the trial. Nothing is ever suggested that was not
run on the user's own values and seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vjpcli.errors import Fix
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.wording import entry_name, number
from vjpcli.explanation.rewrites.guards import double_where, guarded_input, masked_product
from vjpcli.explanation.rewrites.match import Bindings, Text, matches
from vjpcli.explanation.rewrites.patterns import EXACT, NUDGES, Row, parsed
from vjpcli.explanation.rewrites.prove import EPS, LOST_DIGITS, Proof, prove, tried_out
from vjpcli.explanation.rewrites.says import says
from vjpcli.explanation.rewrites.trouble import Proposal, Trouble
from vjpcli.parser.syntax import Expression

__all__ = ["Proof", "Proposal", "Trouble", "proposals", "prove", "proven_fix", "steadier_fix"]

LARGEST_PROGRAM = 20_000
"""Characters of a program, and nodes of its graph, up to which fixes are sought."""

TRIALS = ((200_000, 40), (5_000_000, 8), (40_000_000, 2))
"""(entries over all nodes, proposals that may be run): a large run is not repeated often."""

CODES_FOR_NUDGES = {
    "inf-slope", "nan-zero-seed", "nan-inf-times-zero", "nan-zero-times-inf", "nan-masking",
    "log-of-zero", "zero-over-zero", "zero-times-inf", "edge-of-domain", "inf-minus-inf",
}  # fmt: skip
"""Findings that a small number added to an operand may cure without lying about the value."""


def proven_fix(evidence: Evidence, trouble: Trouble) -> Fix | None:
    """The most specific rewrite that cures the trouble, or None where none was found."""
    source = evidence.problem.program.source
    entries = sum(node.size for node in evidence.graph.nodes)
    trials = next((count for limit, count in TRIALS if entries <= limit), 0)
    if max(len(source.text), len(evidence.graph.nodes)) > LARGEST_PROGRAM:
        return None
    text = Text.of(evidence.problem.program, evidence.problem.settings.library)
    tried: set[str] = {source.text}
    for proposal in proposals(text, trouble, evidence.problem.settings.dtype):
        if proposal.text in tried:
            continue
        if trials == 0:
            return None
        trials -= 1
        tried.add(proposal.text)
        proof = prove(evidence, proposal, trouble)
        if proof is not None:
            return Fix(proposal.text, source.text, says=says(evidence, proof, trouble))
    return None


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
    if trouble.code in CODES_FOR_NUDGES:
        yield from _rows(NUDGES, text, trouble, dtype)


def _rows(rows: Iterable[Row], text: Text, trouble: Trouble, dtype: str) -> Iterator[Proposal]:
    parts = list(text.parts())
    for row in rows:
        for part in parts:
            if not trouble.concerns(part.span) and not text.definitions:
                continue
            for bound in matches(parsed(row.pattern), part, text):
                yield from _written(row, part, bound, text, dtype)


def _written(
    row: Row, part: Expression, bound: Bindings, text: Text, dtype: str
) -> Iterator[Proposal]:
    """The row written in the place of `part`, in the user's library first, then with bare names."""
    for prefix in dict.fromkeys((text.prefix(part), "")):
        if not prefix and "@linalg." in row.instead:
            continue  # the module is there for a library's sake: bare, the name alone will do
        instead = row.instead.replace("@", prefix).format(**{"rest": "", **bound}, eps=EPS[dtype])
        if text.needs_brackets(part, parsed(instead)):
            instead = f"({instead})"
        yield Proposal(text.edited({part.span: instead}), row.why, row.changes_value)
