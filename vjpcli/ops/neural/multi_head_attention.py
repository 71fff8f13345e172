"""Attention in several heads with its projections: torch's multi_head_attention_forward."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import plain_number, true_or_false, whole_number
from vjpcli.ops.neural.attention import scaled_dot_product_attention
from vjpcli.ops.neural.dropout import refuse_random
from vjpcli.ops.neural.softmax import softmax
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import joining, ordering, shape
from vjpcli.ops.shapes.splitting import chunk

NAME = "multi_head_attention_forward"


def _mismatch(what, wanted, given):
    return fail(
        "shape-mismatch",
        f"{NAME} needs {what} of shape {shape_text(wanted)}, not {shape_text(given)}",
    )


def _linear(what, x, weight, bias, rows):
    wanted = (rows, x.shape[-1])
    if weight is None:
        raise fail("missing-argument", f"{NAME} needs `{what}`")
    if weight.shape != wanted:
        raise _mismatch(f"`{what}`", wanted, weight.shape)
    return OPERATIONS["linear"](x, weight, bias)


def _projected(inputs, length, packed, packed_bias, separate):
    """Query, key and value times their weights.

    Errors: missing-argument, shape-mismatch.
    """
    biases = (None,) * 3
    if packed_bias is not None:
        if packed_bias.shape != (3 * length,):
            raise _mismatch("`in_proj_bias`", (3 * length,), packed_bias.shape)
        biases = chunk(packed_bias, chunks=3, axis=0)
    names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    weights = separate
    if separate is None:
        if packed is None:
            raise fail("missing-argument", f"{NAME} needs `in_proj_weight`")
        if packed.shape != (3 * length, length):
            raise _mismatch("`in_proj_weight`", (3 * length, length), packed.shape)
        weights, names = chunk(packed, chunks=3, axis=0), ("in_proj_weight",) * 3
    return [
        _linear(name, x, weight, bias, length)
        for name, x, weight, bias in zip(names, inputs, weights, biases, strict=True)
    ]


def _heads(x, count):
    """[L, N, E] as [N, heads, L, E/heads]."""
    steps, examples, length = x.shape
    apart = shape.reshape(x, shape=(steps, examples, count, length // count))
    return ordering.permute(apart, axis=(1, 2, 0, 3))


def _extended(x, more):
    """One further key or value: `more` [1, 1, E] behind x [S, N, E]."""
    wanted = (1, 1, x.shape[-1])
    if more.shape != wanted:
        raise _mismatch("bias_k and bias_v", wanted, more.shape)
    return joining.concatenate(x, shape.broadcast_to(more, shape=(1, *x.shape[1:])), axis=0)


def _wider(mask, count):
    """A mask with `count` further keys that are seen."""
    if mask is None or not count:
        return mask
    return joining.concatenate(mask, as_node(np.zeros((*mask.shape[:-1], count))), axis=-1)


def _as_numbers(mask, wanted, what):
    """A mask to be added to the scores: -inf where a condition forbids.

    Errors: shape-mismatch.
    """
    if mask.shape not in wanted:
        raise _mismatch(f"`{what}`", wanted[0], mask.shape)
    if mask.kind == "condition":
        return comparison.where(mask, -math.inf, 0)
    return mask


def _in_batches(query, key, value, length):
    """The three of them as [L, N, E].

    Errors: shape-mismatch.
    """
    single = query.ndim == 2
    if query.ndim not in (2, 3) or not query.ndim == key.ndim == value.ndim:
        raise _mismatch("a query [L, N, E], key and value", (length,), query.shape)
    inputs = [shape.expand_dims(one, axis=1) if single else one for one in (query, key, value)]
    if inputs[0].shape[-1] != length:
        raise _mismatch("a query", (*query.shape[:-1], length), query.shape)
    if inputs[1].shape[:2] != inputs[2].shape[:2] or inputs[1].shape[1] != inputs[0].shape[1]:
        raise _mismatch("a value", (*key.shape[:-1], value.shape[-1]), value.shape)
    return inputs


def _attended(q, k, v, mask, need_weights, average):
    """What each head gives, and the weights that were used, or None."""
    if not need_weights:
        return scaled_dot_product_attention(q, k, v, mask), None
    scores = (q / math.sqrt(q.shape[-1])) @ ordering.matrix_transpose(k)
    weights = softmax(scores if mask is None else scores + mask)
    return weights @ v, reduction.mean(weights, axis=1) if average else weights


MHA_ORDER = (
    "query", "key", "value", "embed_dim_to_check", "num_heads", "in_proj_weight", "in_proj_bias",
    "bias_k", "bias_v", "add_zero_attn", "dropout_p", "out_proj_weight", "out_proj_bias",
    "training", "key_padding_mask", "need_weights", "attn_mask", "use_separate_proj_weight",
    "q_proj_weight", "k_proj_weight", "v_proj_weight", "static_k", "static_v",
    "average_attn_weights", "is_causal",
)  # fmt: skip


def _mha(*lengths, **static):
    """A sample: query, key and value of these shapes, weights for 4 numbers in 2 heads."""
    packed = ((12, 4), (12,), None, None, (4, 4), (4,))
    return sample(*lengths, *packed, embed_dim_to_check=4, num_heads=2, **static)


@operation(
    argument_order=MHA_ORDER,
    several=("attn_output", "attn_output_weights"),
    samples=(
        _mha((3, 2, 4), (2, 2, 4), (2, 2, 4)),
        _mha((3, 4), (3, 4), (3, 4), average_attn_weights=False),
        _mha((2, 1, 4), (2, 1, 4), (2, 1, 4), add_zero_attn=True, dropout_p=0.5, training=False),
    ),
    refuses=(
        Refusal(_mha((3, 2, 4), (2, 2, 4), (3, 2, 4)), "shape-mismatch"),
        Refusal(_mha((3, 2, 6), (3, 2, 6), (3, 2, 6)), "shape-mismatch"),
        Refusal(_mha((4,), (4,), (4,)), "shape-mismatch"),
        Refusal(_mha((3, 2, 4), (2, 2, 4), (2, 2, 4), dropout_p=0.5), "random-operation"),
        Refusal(_mha((3, 2, 4), (2, 2, 4), (2, 2, 4), is_causal=True), "missing-argument"),
        Refusal(
            sample((2, 3), (2, 3), (2, 3), (9, 3), embed_dim_to_check=3, num_heads=2),
            "keyword-value",
        ),
        Refusal(
            sample((2, 4), (2, 4), (2, 4), embed_dim_to_check=4, num_heads=2), "missing-argument"
        ),
    ),
)
def multi_head_attention_forward(
    query,
    key,
    value,
    in_proj_weight=None,
    in_proj_bias=None,
    bias_k=None,
    bias_v=None,
    out_proj_weight=None,
    out_proj_bias=None,
    key_padding_mask=None,
    attn_mask=None,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    *,
    embed_dim_to_check,
    num_heads,
    add_zero_attn=False,
    dropout_p=0,
    training=True,
    need_weights=True,
    use_separate_proj_weight=False,
    average_attn_weights=True,
    is_causal=False,
):
    """Attention in several heads, each on its own part of the projected entries, then joined.

    Shapes:  query [L, N, E] or [L, E], key and value [S, N, E] or [S, E], in_proj_weight [3E, E],
             out_proj_weight [E, E] -> (output [L, N, E], weights [N, L, S]); masks of conditions
             say what is NOT seen: key_padding_mask [N, S], attn_mask [L, S] or [N heads, L, S]
    Kinks:   none; a query that may see nothing gives nan (zeros with need_weights=False)
    Source:  Vaswani et al., "Attention Is All You Need" (2017), as torch.nn.MultiheadAttention
    Example: vjp explain "F.multi_head_attention_forward(x,x,x,2,1,W,None,None,None,False,0,U,None)"
             x=[[1,0],[0,1]] W=[[1,0],[0,1],[1,0],[0,1],[1,0],[0,1]] U=[[1,0],[0,1]] --wrt x
             --seed ones
    """
    if true_or_false("training", training) and plain_number("dropout_p", dropout_p):
        raise refuse_random(NAME, "dropout_p=0 or training=False leaves nothing out")
    length = whole_number("embed_dim_to_check", embed_dim_to_check, least=1)
    inputs = _in_batches(query, key, value, length)
    single = query.ndim == 2
    heads = whole_number("num_heads", num_heads, least=1)
    if length % heads:
        raise fail("keyword-value", f"{length} entries cannot be shared by {heads} heads evenly")
    separate = None
    if true_or_false("use_separate_proj_weight", use_separate_proj_weight):
        separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    q, k, v = _projected(inputs, length, in_proj_weight, in_proj_bias, separate)
    steps, examples = q.shape[:2]
    mask = _combined_mask(attn_mask, key_padding_mask, steps, k.shape[0], examples, heads)
    if (bias_k is None) != (bias_v is None):
        raise fail("missing-argument", f"{NAME} takes bias_k and bias_v together")
    if bias_k is not None:
        k, v, mask = _extended(k, bias_k), _extended(v, bias_v), _wider(mask, 1)
    q, k, v = (_heads(one, heads) for one in (q, k, v))
    k, v = (
        given if static is None else _static_heads(static, given)
        for given, static in ((k, static_k), (v, static_v))
    )
    if true_or_false("add_zero_attn", add_zero_attn):
        zeros = as_node(np.zeros((*k.shape[:2], 1, k.shape[-1])))
        k, v = (joining.concatenate(one, zeros, axis=-2) for one in (k, v))
        mask = _wider(mask, 1)
    if true_or_false("is_causal", is_causal) and attn_mask is None:
        raise fail("missing-argument", f"{NAME}: is_causal=True is a remark on `attn_mask`")
    out, weights = _attended(
        q,
        k,
        v,
        mask,
        true_or_false("need_weights", need_weights),
        true_or_false("average_attn_weights", average_attn_weights),
    )
    joined = shape.reshape(
        ordering.permute(out, axis=(2, 0, 1, 3)), shape=(steps, examples, length)
    )
    y = _linear("out_proj_weight", joined, out_proj_weight, out_proj_bias, length)
    if single:
        y = shape.squeeze(y, axis=1)
        weights = None if weights is None else shape.squeeze(weights, axis=0)
    return y, weights


def _static_heads(given, usual):
    """Keys or values that take the place of those computed: [N heads, S, E/heads]."""
    examples, heads, _, length = usual.shape
    if given.ndim != 3 or given.shape[0] != examples * heads or given.shape[2] != length:
        wanted = (examples * heads, *usual.shape[2:])
        raise _mismatch("static_k and static_v", wanted, given.shape)
    return shape.reshape(given, shape=(examples, heads, *given.shape[1:]))


def _combined_mask(attn_mask, key_padding_mask, steps, keys, examples, heads):
    """Both masks as numbers to add to scores [N, heads, L, S]; None without one."""
    mask = None
    if attn_mask is not None:
        each = (examples * heads, steps, keys)
        mask = _as_numbers(attn_mask, ((steps, keys), each), "attn_mask")
        if mask.ndim == 3:
            mask = shape.reshape(mask, shape=(examples, heads, steps, keys))
    if key_padding_mask is not None:
        wanted = ((examples, keys), (keys,)) if examples == 1 else ((examples, keys),)
        padding = _as_numbers(key_padding_mask, wanted, "key_padding_mask")
        padding = shape.reshape(padding, shape=(examples, 1, 1, keys))
        mask = padding if mask is None else mask + padding
    return mask
