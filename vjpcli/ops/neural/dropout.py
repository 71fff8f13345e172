"""Dropout and other layers that draw: refused, except where nothing is left to chance."""

from __future__ import annotations

from vjpcli.errors import VjpError
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import plain_number, true_or_false

ONE_DRAW = "multiply by a mask of your own to see what one draw does: x * mask / (1-p)"


def refuse_random(name: str, instead: str, one_draw: str = ONE_DRAW) -> VjpError:
    """The error that says why a random operation has no gradient to explain."""
    return fail(
        "random-operation",
        f"{name} is random: its gradient is another one every time",
        notes=(instead, one_draw),
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


@operation(
    keyword_aliases={"input": "logits"},
    refuses=(
        Refusal(sample((3,)), "random-operation"),
        Refusal(sample((3,), tau=0.5, hard=True), "random-operation"),
    ),
)
def gumbel_softmax(logits, *, tau=1, hard=False, eps=1e-10, axis=-1):
    """Refused: the softmax of logits to which random noise is added.

    Shapes:  logits [...] -> [...]
    Kinks:   none
    Source:  Jang, Gu and Poole (2017): softmax((logits + g)/tau) with g = -log(-log(u)), u uniform
    Example: vjp explain "softmax((x - log(-log(u)))/0.5)" x=1,2,3 u=0.2,0.7,0.4 --wrt x
             --seed 1,0,0
    """
    raise refuse_random(
        "gumbel_softmax",
        "one draw, the same for the same --rng: softmax((x - log(-log(rand_like(x))))/tau)",
        "hard=True adds stop_gradient(one_hot - y) to that y, so its gradient is the same",
    )


@operation(
    aliases=(
        "fractional_max_pool2d",
        "fractional_max_pool3d",
        "fractional_max_pool2d_with_indices",
        "fractional_max_pool3d_with_indices",
    ),
    refuses=(Refusal(sample((1, 4, 4), kernel_size=2, output_size=2), "random-operation"),),
)
def fractional_max_pool(
    x, *, kernel_size, output_size=None, output_ratio=None, return_indices=False
):
    """Refused: pooling over windows at random places.

    Shapes:  x [N, C, H, W] -> [N, C, *output_size]
    Kinks:   none
    Source:  Graham, "Fractional Max-Pooling" (2014); the places of the windows are drawn
    Example: vjp explain "F.adaptive_max_pool2d(x, 1)" x=[[[1,3],[2,2]]]
    """
    raise refuse_random(
        "fractional_max_pool",
        "adaptive_max_pool2d pools to a size with windows that stay where they are",
        "max_pool2d and stride= say where the windows lie",
    )
