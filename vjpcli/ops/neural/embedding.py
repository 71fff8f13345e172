"""Embedding: rows of a table by their numbers."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Node, Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.neural.class_index import nearest_indices
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import shape


def _row_numbers(indices, rows):
    what = f"a row number (0 to {rows - 1})"
    return nearest_indices(indices, what, lambda n: (n >= 0) & (n < rows))


@operation(
    lambda indices, weight, *, padding_idx: np.take(
        weight, _row_numbers(indices, weight.shape[-2]), axis=-2
    ),
    samples=(
        sample([0, 2, 2], (3, 2)),
        sample(1, (3, 2)),
        sample([[0, 1], [1, 1]], (2, 3)),
        sample([0, 2], (3, 2), padding_idx=1),
        sample((0,), (3, 2)),
    ),
    refuses=(
        Refusal(sample([0, 1], (3,)), "shape-mismatch"),
        Refusal(sample([0, 1], (3, 2), padding_idx=3), "keyword-value"),
        Refusal(sample([0, 1], (3, 2), padding_idx=0.5), "keyword-value"),
        Refusal(sample([0, 1], (3, 2), max_norm=1.0), "keyword-value"),
        Refusal(sample([0, 1], (3, 2), scale_grad_by_freq=True), "keyword-value"),
    ),
    analytic=True,
)
def embedding(
    indices,
    weight,
    *,
    padding_idx=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    sparse=False,
):
    """Rows of the table `weight`, one for each index.

    Shapes:  indices [...] of whole numbers, weight [V, D] -> [..., D]
    Kinks:   none; the indices are data and receive 0
    Source:  a selection: a row that was read twice receives two contributions; the row
             padding_idx receives none (PyTorch)
    Example: vjp explain "F.embedding(i, W)" i=0,2,2 W=[[1,2],[3,4],[5,6]] --wrt W --seed ones
    """
    if weight.ndim != 2:
        raise fail(
            "shape-mismatch",
            f"embedding needs a table [V, D], not shape {shape_text(weight.shape)}",
        )
    if max_norm is not None:
        raise fail(
            "keyword-value",
            "`max_norm` of embedding overwrites the table itself, and values here never change",
            notes=("renorm(W, 2, 0, max_norm) is the table with its rows shortened",),
        )
    if true_or_false("scale_grad_by_freq", scale_grad_by_freq):
        raise fail(
            "keyword-value",
            "`scale_grad_by_freq` divides what comes back by how often a row was read: that is "
            "no gradient of the function",
            notes=("leave it out: a row that was read twice receives both contributions",),
        )
    rows = weight.shape[0]
    if padding_idx is not None:
        padding_idx = whole_number("padding_idx", padding_idx, least=-rows, most=rows - 1) % rows
    return outcome((*indices.shape, weight.shape[1]), padding_idx=padding_idx)


@embedding.vjp
def _(g, y, indices, weight, *, padding_idx):
    if padding_idx is not None:
        is_padding = comparison.equal(shape.expand_dims(indices, axis=-1), padding_idx)
        g = comparison.where(is_padding, 0, g)
    return None, add_rows(g, indices, rows=weight.shape[0])


def _add_rows(g, indices, *, rows):
    batch = g.shape[: g.ndim - indices.ndim - 1]
    numbers = _row_numbers(indices, rows).ravel()
    given = g.reshape((*batch, numbers.size, g.shape[-1]))
    out = np.zeros((rows, *batch, g.shape[-1]), g.dtype)
    np.add.at(out, numbers, np.moveaxis(given, -2, 0))
    return np.moveaxis(out, 0, -2)


@operation(
    _add_rows,
    samples=(
        sample((3, 2), [0, 2, 2], rows=3),
        sample((2,), 1, rows=2),
        sample((2, 2, 3), [[0, 1], [1, 1]], rows=2),
    ),
    refuses=(
        Refusal(sample((3, 2), [0, 1], rows=3), "shape-mismatch"),
        Refusal(sample((2, 2), [0, 1], rows=0), "keyword-value"),
    ),
    analytic=True,
)
def add_rows(g, indices, *, rows):
    """A table of zeros with the entries of g added to the rows that `indices` names.

    Shapes:  g [..., D], indices [...] of whole numbers -> [rows, D]
    Kinks:   none; the indices are data and receive 0
    Source:  the transpose of `embedding`
    Example: vjp explain "add_rows(g, i, 3)" g=[[1,2],[3,4]] i=2,2 --wrt g --seed ones
    """
    rows = whole_number("rows", rows, least=1)
    batch = g.ndim - indices.ndim - 1
    if batch < 0 or g.shape[batch:-1] != indices.shape:
        raise fail(
            "shape-mismatch",
            f"rows of shape {shape_text(g.shape)} do not belong to "
            f"indices of shape {shape_text(indices.shape)}",
        )
    refuse_oversized((*g.shape[:batch], rows, g.shape[-1]))
    return outcome((*g.shape[:batch], rows, g.shape[-1]), rows=rows)


@add_rows.vjp
def _(g, y, x, indices, *, rows):
    return _rows_of(g, indices), None


def _rows_of(table, indices):
    """`embedding`, where the table may carry leading axes of a batch of seeds."""
    shape = (*table.shape[:-2], *indices.shape, table.shape[-1])
    return Node(embedding, (indices, table), {"padding_idx": None}, shape)
