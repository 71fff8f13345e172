"""Scaled dot-product attention."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.neural.dropout import refuse_random
from vjpcli.ops.neural.softmax import softmax
from vjpcli.ops.numbers import comparison


@operation(
    samples=(
        sample((2, 3), (4, 3), (4, 2)),
        sample((2, 2, 3), (2, 4, 3), (2, 4, 2), (2, 4)),
        sample((3, 2), (3, 2), (3, 2), is_causal=True),
        sample((2, 3), (2, 3), (2, 3), [[True, False], [True, True]], scale=0.5),
        sample((2, 3), (2, 3), (2, 3), [[False, False], [True, True]]),
        sample((4, 2, 3), (2, 3, 3), (1, 3, 2), enable_gqa=True),
    ),
    refuses=(
        Refusal(sample((2, 3), (4, 2), (4, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (4, 3), (3, 2)), "shape-mismatch"),
        Refusal(sample((3,), (4, 3), (4, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (4, 3), (4, 2), dropout_p=0.1), "random-operation"),
        Refusal(sample((2, 3), (4, 3), (4, 2), (3, 4)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 3), (2, 3), (2, 2), is_causal=True), "two-masks"),
        Refusal(sample((2, 3), (2, 3), (2, 3), scale="half"), "keyword-value"),
        Refusal(sample((2, 3), (2, 3), (2, 3), enable_gqa=True), "shape-mismatch"),
        Refusal(sample((4, 2, 3), (3, 2, 3), (4, 2, 3), enable_gqa=True), "shape-mismatch"),
    ),
    analytic=True,
)
def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    *,
    dropout_p=0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
):
    """Means of the rows of value, weighted by how well each key answers the query.

    Shapes:  query [..., L, E], key [..., S, E], value [..., S, V], attn_mask [..., L, S] ->
             [..., L, V]; a mask of conditions says what is seen, one of numbers is added;
             enable_gqa=True lets several heads (axis -3) of query share one of key and of value
    Kinks:   none; a query that may see nothing gets zeros (PyTorch)
    Source:  Vaswani et al., "Attention Is All You Need" (2017):
             softmax(query key^T / sqrt(E)) value
    Example: vjp explain "F.scaled_dot_product_attention(q, k, v)" q=[[1,0]] k=[[1,0],[0,1]]
             v=[[1],[2]]
    """
    name = "scaled_dot_product_attention"
    if true_or_false("is_causal", is_causal) and attn_mask is not None:
        raise fail("two-masks", f"{name} takes attn_mask or is_causal=True, not both")
    if plain_number("dropout_p", dropout_p):
        raise refuse_random(name, "dropout_p=0 leaves nothing out")
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise fail("shape-mismatch", f"{name} takes matrices [L, E], [S, E] and [S, V]")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        shapes = ", ".join(shape_text(one.shape) for one in (query, key, value))
        raise fail(
            "shape-mismatch",
            f"{name} cannot combine shapes {shapes}",
            notes=("query and key agree in their last axis, key and value in the one before it",),
        )
    if true_or_false("enable_gqa", enable_gqa):
        key, value = (_for_every_head(name, one, query) for one in (key, value))
    length = query.shape[-1]
    factor = 1 / math.sqrt(max(1, length)) if scale is None else plain_number("scale", scale)
    scores = query @ OPERATIONS["swapaxes"](key, axis1=-2, axis2=-1) * factor
    mask = attn_mask
    if is_causal:
        mask = as_node(np.tri(*scores.shape[-2:], dtype=bool))
    if mask is None:
        return softmax(scores) @ value
    together = scores + mask if mask.kind == "real" else comparison.where(mask, scores, -math.inf)
    if together.shape != scores.shape:
        raise fail(
            "shape-mismatch",
            f"a mask of shape {shape_text(mask.shape)} does not fit scores of shape "
            f"{shape_text(scores.shape)}",
        )
    # A row of -inf has no softmax: it is computed as if it were 0, then replaced by zeros.
    largest = OPERATIONS["amax"](together, axis=-1, keepdims=True)
    blind = comparison.equal(largest, -math.inf)
    weights = softmax(comparison.where(blind, 0, together))
    return comparison.where(blind, 0, weights) @ value


def _for_every_head(name, shared, query):
    """`shared` with each of its heads repeated, so that it has as many as `query`.

    Errors: shape-mismatch.
    """
    heads = query.shape[-3] if min(query.ndim, shared.ndim) > 2 else 0
    if not heads or not shared.shape[-3] or heads % shared.shape[-3]:
        raise fail(
            "shape-mismatch",
            f"{name} with enable_gqa=True takes heads in axis -3, those of query a multiple of "
            f"the others, not {shape_text(query.shape)} and {shape_text(shared.shape)}",
        )
    times = heads // shared.shape[-3]
    return OPERATIONS["repeat"](shared, repeats=times, axis=-3)
