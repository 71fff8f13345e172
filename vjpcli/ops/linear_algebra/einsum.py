"""Einstein summation: one notation for products, sums, transposes and diagonals.

Every operand is first brought to a plain form by other operations: a label that it holds twice
becomes a diagonal, an axis of length 1 that others stretch is dropped, a label that nothing
else mentions is summed. What is left is a contraction in which every label of an operand is
also in the output or in another operand. Hence its rule is again einsum: the adjoint takes the
place of the operand that receives.
"""

from __future__ import annotations

from collections import Counter
from string import ascii_letters

import numpy as np

from vjpcli.ops.declaration import (
    Elsewhere,
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
)
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import diagonals, ordering, shape


def _refused(why, subscripts):
    return fail("einsum-subscripts", f'"{subscripts}": {why}')


def _term(text, subscripts):
    """A comma-free part as a list of letters, with one None where `...` stands.

    Errors: einsum-subscripts.
    """
    before, dots, after = text.partition("...")
    if not all(c in ascii_letters for c in before + after):
        odd = next(c for c in before + after if c not in ascii_letters)
        raise _refused(f"a subscript is a letter, not {odd!r}", subscripts)
    return [*before, *([None] if dots else []), *after]


def _terms(subscripts, count):
    """Input terms and output term (None when it is implied).

    Errors: einsum-subscripts.
    """
    if not isinstance(subscripts, str):
        raise fail("einsum-subscripts", 'einsum begins with its subscripts, as in "ij,j->i"')
    compact = "".join(subscripts.split())
    inputs, arrow, output = compact.partition("->")
    terms = [_term(text, subscripts) for text in inputs.split(",")]
    if len(terms) != count:
        raise _refused(
            f"{len(terms)} group{'s' * (len(terms) != 1)} of subscripts for {count} "
            f"array{'s' * (count != 1)}",
            subscripts,
        )
    return terms, _term(output, subscripts) if arrow else None


def _labels_of(term, x, subscripts):
    """One label per axis of x; the axes of `...` are labelled -1, -2, ... from the right.

    Errors: einsum-subscripts.
    """
    letters = [letter for letter in term if letter is not None]
    covered = x.ndim - len(letters)
    if covered < 0 or (covered and None not in term):
        raise _refused(
            f"{len(letters)} subscripts for an array of shape {shape_text(x.shape)}", subscripts
        )
    dots = term.index(None) if None in term else len(term)
    return [*term[:dots], *range(-covered, 0), *term[dots + 1 :]]


def _output_labels(term, labels, subscripts):
    """Labels of the result; without an output term those that occur once, in their order.

    Errors: einsum-subscripts.
    """
    used = Counter(label for one in labels for label in one)
    covered = sorted(label for label in used if isinstance(label, int))
    if term is None:
        return covered + sorted(c for c in used if isinstance(c, str) and used[c] == 1)
    for letter, times in Counter(term).items():
        if letter is not None and letter not in used:
            raise _refused(f"the output has `{letter}`, the arrays do not", subscripts)
        if times > 1:
            raise _refused(f"the output has `{letter or '...'}` twice", subscripts)
    dots = term.index(None) if None in term else len(term)
    return [*term[:dots], *(covered if None in term else []), *term[dots + 1 :]]


def _lengths(operands, labels, subscripts):
    """Label -> length; axes of length 1 are stretched.

    Errors: shape-mismatch.
    """
    found: dict[str | int, int] = {}
    for x, one in zip(operands, labels, strict=True):
        for label, length in zip(one, x.shape, strict=True):
            known = found.setdefault(label, length)
            if known == 1:
                found[label] = length
            elif length not in (1, known):
                what = f"`{label}`" if isinstance(label, str) else "an axis of `...`"
                raise fail(
                    "shape-mismatch", f'"{subscripts}": {what} is {known} long and {length} long'
                )
    return found


def _with_diagonals(x, labels, subscripts):
    """x without labels that it holds twice: the diagonal of their axes.

    Errors: shape-mismatch.
    """
    while len(set(labels)) < len(labels):
        label = next(one for one in labels if labels.count(one) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        if x.shape[first] != x.shape[second]:
            raise fail(
                "shape-mismatch",
                f'"{subscripts}": `{label}` is {x.shape[first]} long and {x.shape[second]} long',
            )
        x = diagonals.diagonal(x, axis1=first, axis2=second)
        labels = [one for i, one in enumerate(labels) if i not in (first, second)] + [label]
    return x, labels


def _plain_form(operands, labels, output, lengths):
    """Operands without stretched axes, and without labels that only they hold."""
    plain = []
    for x, one in zip(operands, labels, strict=True):
        stretched = tuple(
            i for i, label in enumerate(one) if x.shape[i] == 1 and lengths[label] != 1
        )
        if stretched:
            x = shape.squeeze(x, axis=stretched)  # noqa: PLW2901  (the same operand, smaller)
        plain.append((x, [label for i, label in enumerate(one) if i not in stretched]))
    used = Counter(label for _, one in plain for label in one)
    summed = []
    for x, one in plain:
        alone = tuple(i for i, c in enumerate(one) if used[c] == 1 and c not in output)
        kept = [label for i, label in enumerate(one) if i not in alone]
        summed.append((reduction.sum(x, axis=alone) if alone else x, kept))
    return [x for x, _ in summed], [one for _, one in summed]


def _written(labels, output, subscripts):
    """The labels as text again; axes of `...` get letters that are free.

    Errors: einsum-subscripts.
    """
    used = {label for one in labels for label in one} | set(output)
    free = iter(sorted(set(ascii_letters) - used, key=str.swapcase))
    names: dict[str | int, str] = {one: one for one in used if isinstance(one, str)}
    for label in sorted((one for one in used if isinstance(one, int)), reverse=True):
        name = next(free, None)
        if name is None:
            raise _refused("more axes than there are letters", subscripts)
        names[label] = name
    inputs = ",".join("".join(names[label] for label in one) for one in labels)
    return f"{inputs}->{''.join(names[label] for label in output)}"


def _from_numbers(operands):
    """Arrays and subscripts of `einsum(A, [0, 1], x, [1], [0])`, where numbers stand for letters.

    Errors: einsum-subscripts.
    """
    lists = operands[1::2] if len(operands) % 2 == 0 else (*operands[1::2], operands[-1])
    plain = [one.static.get("value") for one in lists]
    if len(operands) < 2 or any(one is None or one.ndim != 1 for one in plain):
        raise fail("missing-argument", 'einsum needs `subscripts`, as in "ij,j->i"')
    if any(np.any((one < 0) | (one >= len(ascii_letters)) | (one % 1 != 0)) for one in plain):
        raise fail("einsum-subscripts", "numbers that stand for subscripts are whole, from 0 to 51")
    terms = ["".join(ascii_letters[int(number)] for number in one) for one in plain]
    count = len(operands) // 2
    inputs = ",".join(terms[:count])
    return operands[: 2 * count : 2], f"{inputs}->{terms[-1]}" if len(terms) > count else inputs


def _reads(*operands, subscripts, sums_copies):
    """A union over products is the union of each operand's own, over the labels that are summed."""
    inputs, _, output = subscripts.partition("->")
    sets = 0
    for x, labels in zip(operands, inputs.split(","), strict=True):
        gone = tuple(i for i, label in enumerate(labels) if label not in output)
        kept = [label for label in labels if label in output]
        united = np.bitwise_or.reduce(x, axis=gone, initial=0) if gone else x
        united = np.transpose(united, [kept.index(label) for label in output if label in kept])
        missing = [i for i, label in enumerate(output) if label not in kept]
        sets = np.bitwise_or(sets, np.expand_dims(np.asarray(united, dtype=object), missing))
    return sets


@operation(
    lambda *operands, subscripts, sums_copies: np.einsum(subscripts, *operands, optimize=True),
    pattern=_reads,
    keyword_aliases={"equation": "subscripts"},
    samples=(
        sample((2, 3), (3,), subscripts="ij,j->i"),
        sample((2, 3), (3, 2), subscripts="ij,jk"),
        sample((2, 3), (3, 4), (4, 2), subscripts="ij,jk,kl->il"),
        sample((2,), (3,), subscripts="i,j"),
        sample((2, 3), (2, 3), subscripts="ij,ij->"),
        sample((2, 3), (2, 3), subscripts="ij,kj->j"),
        sample((3, 3), subscripts="ii"),
        sample((3, 3), subscripts="ii->i"),
        sample((2, 3), subscripts="ij->ji"),
        sample((3, 3, 2), (3, 2), subscripts="iij,ij->i"),
        sample((2, 2, 3), (3, 2), subscripts="...ij,jk->...ik"),
        sample((2, 1, 3), (4, 3), subscripts="...i,...i"),
        sample((2, 3), (3,), subscripts="...i,i"),
        sample((2,), (1,), subscripts="i,i->"),
        sample((1, 3), (2, 1), subscripts="ij,ij->ij"),
        sample((), (2,), subscripts=",i->i"),
        sample((0, 2), (2,), subscripts="ij,j->i"),
        sample((2, 0), (0,), subscripts="ij,j->i"),
        sample((2, 3), (2,), subscripts="...i,j->j"),
    ),
    refuses=(
        Refusal(sample((2, 3), (4,), subscripts="ij,j"), "shape-mismatch"),
        Refusal(sample((2, 3), subscripts="ii"), "shape-mismatch"),
        Refusal(sample((2, 3), subscripts="i"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="ijk"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="ij,j"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="ij->k"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="ij->ii"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="i1->i"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="i..j"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="......"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts="ij->j->i"), "einsum-subscripts"),
        Refusal(sample((2, 3), subscripts=2), "einsum-subscripts"),
        Refusal(sample((2, 3)), "missing-argument"),
        Refusal(sample(subscripts=""), "missing-argument"),
    ),
    elsewhere=(
        Elsewhere(
            "autograd",
            "gives a gradient of the wrong shape",
            "an axis of length 1 is summed against a longer one",
            lambda y, *operands, subscripts, sums_copies: sums_copies,
            point=([1.0, 2.0], [3.0]),
            static={"subscripts": "i,i->"},
        ),
    ),
    analytic=True,
)
def einsum(*operands, subscripts=None):
    """Products of entries, summed over every subscript that the output leaves out.

    Shapes:  "ij,jk->ik": a [i, j], b [j, k] -> [i, k]; `...` stands for further axes
    Kinks:   none
    Source:  the product is linear in each operand: in its place the adjoint is contracted
    Example: vjp explain "einsum('ij,j->i', W, x)" W=[[1,2],[3,4]] x=1,10 --seed 1,2
    """
    if not operands:
        raise fail("missing-argument", "einsum needs at least one array")
    if subscripts is None:
        operands, subscripts = _from_numbers(operands)
    terms, output_term = _terms(subscripts, len(operands))
    labels = [_labels_of(t, x, subscripts) for t, x in zip(terms, operands, strict=True)]
    output = _output_labels(output_term, labels, subscripts)
    lengths = _lengths(operands, labels, subscripts)
    pairs = [_with_diagonals(x, one, subscripts) for x, one in zip(operands, labels, strict=True)]
    # Nothing here depends on it; another engine gets it wrong.
    sums_copies = any(
        length == 1 != lengths[label] and label not in output
        for x, one in pairs
        for length, label in zip(x.shape, one, strict=True)
    )
    operands, labels = _plain_form(
        [x for x, _ in pairs], [one for _, one in pairs], output, lengths
    )
    if len(operands) == 1:
        return ordering.permute(operands[0], axis=[labels[0].index(label) for label in output])
    return outcome(
        [lengths[label] for label in output],
        operands=tuple(operands),
        subscripts=_written(labels, output, subscripts),
        sums_copies=sums_copies,
    )


@einsum.vjp
def _(g, y, *operands, subscripts, sums_copies):
    inputs, _, output = subscripts.partition("->")
    terms = inputs.split(",")
    contributions = []
    for i, term in enumerate(terms):
        others = [x for j, x in enumerate(operands) if j != i]
        other_terms = [one for j, one in enumerate(terms) if j != i]
        wanted = f"{','.join([f'...{output}', *other_terms])}->...{term}"
        contributions.append(einsum(g, *others, subscripts=wanted))
    return tuple(contributions)
