"""Dropout, which is random: refused, except where nothing is left to chance."""

from __future__ import annotations

from vjpcli.errors import VjpError
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import plain_number, true_or_false


def refuse_random(name: str, instead: str) -> VjpError:
    """The error that says why a random operation has no gradient to explain."""
    return fail(
        "random-operation",
        f"{name} is random: its gradient is another one every time",
        notes=(
            instead,
            "multiply by a mask of your own to see what one draw does: x * mask / (1-p)",
        ),
    )


@operation(
    aliases=(
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "feature_alpha_dropout",
        "feature_dropout",
    ),
    samples=(
        sample((2, 3), p=0),
        sample((2, 3), training=False),
        sample((2, 3), p=1),
        sample((), p=0),
    ),
    refuses=(
        Refusal(sample((3,)), "random-operation"),
        Refusal(sample((3,), p=2), "keyword-value"),
        Refusal(sample((3,), training="no"), "keyword-value"),
    ),
    analytic=True,
)
def dropout(x, *, p=0.5, training=True):
    """x itself where training=False or p=0; zeros where p=1. Anything else is random: refused.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  Srivastava et al., "Dropout" (2014); without chance it is the identity
    Example: vjp explain "F.dropout(x, 0.5, training=False)" x=1,2,3 --seed ones
    """
    p = plain_number("p", p)
    if not 0 <= p <= 1:
        raise fail("keyword-value", f"p of dropout is a probability, not {p}")
    if not true_or_false("training", training) or p == 0:
        return x
    if p == 1:
        return x * 0
    raise refuse_random("dropout", "p=0 or training=False leaves x as it is")
