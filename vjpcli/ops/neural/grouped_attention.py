"""Attention in several heads that share their keys in groups: jax.nn.dot_product_attention."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import plain_number, position_array, true_or_false, whole_per_axis
from vjpcli.ops.neural.softmax import softmax
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, ordering, shape

UNSEEN = -1e30
"""The score of what is not seen. Where a query sees nothing, all weights are equal (JAX)."""


def _seen(query, key, mask, is_causal, query_seq_lengths, key_value_seq_lengths, window):
    """Whether each query sees each key: None, or conditions that fit [B, N, T, S].

    Errors: shape-mismatch, not-a-mask, keyword-value.
    """
    steps, keys = query.shape[1], key.shape[1]
    at, of = np.arange(steps)[:, None], np.arange(keys)
    seen = np.ones((1, 1, steps, keys), dtype=bool)
    if true_or_false("is_causal", is_causal):
        seen = seen & (of <= at)
    if window is not None:
        left, right = whole_per_axis("local_window_size", window, 2, least=0)
        seen = seen & (of >= at - left) & (of <= at + right)
    for name, given, places in (
        ("query_seq_lengths", query_seq_lengths, at),
        ("key_value_seq_lengths", key_value_seq_lengths, of),
    ):
        if given is not None:
            seen = seen & (places < _sequence_lengths(name, given, query)[:, None, None, None])
    known = None if seen.all() else as_node(seen)
    if mask is None:
        return known
    if mask.kind != "condition":
        raise fail("not-a-mask", "`mask` of dot_product_attention holds True and False")
    return mask if known is None else mask & known


def _sequence_lengths(name, given, query):
    lengths = position_array(name, given).ravel()
    if lengths.size != query.shape[0]:
        raise fail(
            "shape-mismatch", f"`{name}` has one number for each of {query.shape[0]} examples"
        )
    return lengths


@operation(
    argument_order=("query", "key", "value", "bias", "mask"),
    decided=("query_seq_lengths", "key_value_seq_lengths"),
    samples=(
        sample((1, 2, 2, 3), (1, 3, 2, 3), (1, 3, 2, 3)),
        sample((2, 2, 3), (2, 1, 3), (2, 1, 3), is_causal=True),
        sample((1, 2, 1, 2), (1, 2, 1, 2), (1, 2, 1, 2), (1, 1, 2, 2), scale=0.3),
        sample((1, 2, 1, 2), (1, 2, 1, 2), (1, 2, 1, 2), None, [[[[True, False], [False, False]]]]),
        sample(
            (2, 2, 1, 2),
            (2, 3, 1, 2),
            (2, 3, 1, 2),
            query_seq_lengths=(1, 2),
            key_value_seq_lengths=(3, 2),
            local_window_size=1,
        ),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 3), (2, 3)), "shape-mismatch"),
        Refusal(sample((2, 3, 4), (2, 2, 4), (2, 2, 4)), "shape-mismatch"),
        Refusal(sample((2, 1, 4), (2, 1, 4), (3, 1, 4)), "shape-mismatch"),
        Refusal(sample((2, 1, 4), (2, 1, 4), (2, 1, 4), None, (2, 2)), "not-a-mask"),
        Refusal(sample((2, 1, 4), (2, 1, 4), (2, 1, 4), (3, 3)), "shape-mismatch"),
        Refusal(sample((2, 1, 4), (2, 1, 4), (2, 1, 4), scale="half"), "keyword-value"),
        Refusal(sample((2, 1, 4), (2, 1, 4), (2, 1, 4), return_residual=True), "keyword-value"),
    ),
)
def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    *,
    scale=None,
    is_causal=False,
    query_seq_lengths=None,
    key_value_seq_lengths=None,
    local_window_size=None,
    implementation=None,
    return_residual=False,
):
    """Attention in several heads, as jax.nn has it: entries, then heads, in the last two axes.

    Shapes:  query [B, T, N, H], key and value [B, S, K, H] with N a multiple of K, bias and mask
             (broadcast) [B, N, T, S] -> [B, T, N, H]; without B too. mask says what is seen
    Kinks:   none; a query that may see nothing gets the mean of all values (JAX)
    Source:  softmax(query key^T / sqrt(H) + bias) value in each head; K heads of keys are shared
             by N/K heads of queries each
    Example: vjp explain "jax.nn.dot_product_attention(q, k, v)" q=[[[1,0]]] k=[[[1,0]],[[0,1]]]
             v=[[[1,2]],[[3,4]]] --seed ones
    """
    name = "dot_product_attention"
    if true_or_false("return_residual", return_residual):
        raise fail("keyword-value", f"{name} gives the attention alone: return_residual=False")
    single = query.ndim == 3
    if single and key.ndim == value.ndim == 3:
        query, key, value = (shape.expand_dims(one, axis=0) for one in (query, key, value))
    together = query.ndim == key.ndim == 4 and key.shape == value.shape
    if (
        not together
        or (query.shape[0], query.shape[-1]) != (key.shape[0], key.shape[-1])
        or key.shape[2] == 0
        or query.shape[2] % key.shape[2]
    ):
        shapes = ", ".join(shape_text(one.shape) for one in (query, key, value))
        raise fail(
            "shape-mismatch",
            f"{name} cannot combine shapes {shapes}",
            notes=("query [B, T, N, H]; key and value [B, S, K, H], N a multiple of K",),
        )
    shared = query.shape[2] // key.shape[2]
    if shared > 1:
        heads = np.repeat(np.arange(key.shape[2]), shared)
        key, value = (indexing.read_along(one, heads, -2) for one in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else plain_number("scale", scale)
    q, k, v = (ordering.permute(one, axis=(0, 2, 1, 3)) for one in (query, key, value))
    scores = q @ ordering.matrix_transpose(k) * factor
    wanted = scores.shape
    if bias is not None:
        scores = scores + bias
    seen = _seen(
        query, key, mask, is_causal, query_seq_lengths, key_value_seq_lengths, local_window_size
    )
    if seen is not None:
        scores = comparison.where(seen, scores, UNSEEN)
    if scores.shape != wanted:
        raise fail(
            "shape-mismatch",
            f"bias and mask of {name} fit scores of shape {shape_text(wanted)}, not "
            f"{shape_text(scores.shape)}",
        )
    out = ordering.permute(softmax(scores) @ v, axis=(0, 2, 1, 3))
    if query_seq_lengths is not None:
        lengths = _sequence_lengths("query_seq_lengths", query_seq_lengths, query)
        exists = np.arange(query.shape[1]) < lengths[:, None]
        out = comparison.where(exists[..., None, None], out, 0)
    return shape.squeeze(out, axis=0) if single else out
