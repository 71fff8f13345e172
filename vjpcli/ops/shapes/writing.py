"""Writing: entries replaced at positions, in the forms that give a new array.

NumPy's own forms (`np.place`, `np.fill_diagonal`) change an array in place and give nothing back:
they are refused, with the form that gives a new array.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    positions_within,
    true_or_false,
)
from vjpcli.ops.shapes import gathering, scattering, shape


def _refuse_in_place(name, inplace, instead):
    """Refuses a call that changes its array and gives nothing back.

    Errors: in-place.
    """
    if true_or_false("inplace", inplace):
        raise fail(
            "in-place-operation",
            f"{name} changes its array in place and gives nothing back",
            notes=(f"{instead} gives the new array",),
        )


@operation(
    keyword_aliases={"val": "value", "a": "x"},
    samples=(
        sample((3, 3), (), inplace=False),
        sample((2, 3), (2,), inplace=False),
        sample((2, 2, 2), 1.5, inplace=False),
    ),
    refuses=(
        Refusal(sample((2, 2), ()), "in-place-operation"),
        Refusal(sample((3,), (), inplace=False), "rank-too-low"),
        Refusal(sample((2, 3, 2), (), inplace=False), "square-needed"),
        Refusal(sample((3, 3), (2,), inplace=False), "shape-mismatch"),
    ),
)
def fill_diagonal(x, value, *, wrap=False, inplace=True):
    """A matrix with another diagonal: jnp.fill_diagonal(A, v, inplace=False).

    Shapes:  x [n, m], value [] or one for each entry of the diagonal -> [n, m]
    Kinks:   none
    Source:  the diagonal of x receives 0, value the adjoint of the diagonal
    Example: vjp explain "jnp.fill_diagonal(A, 0, inplace=False)" A=[[1,2],[3,4]] --seed ones
    """
    _refuse_in_place("fill_diagonal", inplace, "jnp.fill_diagonal(A, v, inplace=False)")
    if true_or_false("wrap", wrap):
        raise fail("keyword-value", "`wrap` of fill_diagonal is False here")
    if x.ndim < 2:
        raise fail("rank-too-low", f"a diagonal needs a matrix, not shape {shape_text(x.shape)}")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise fail("square-needed", "of more than two axes all must be equally long")
    places = (np.arange(min(x.shape)),) * x.ndim
    if value.size not in (1, places[0].size):
        raise fail(
            "shape-mismatch",
            f"a diagonal of {places[0].size} entries cannot hold shape {shape_text(value.shape)}",
        )
    wanted = () if value.size == 1 else (value.size,)
    return scattering.write(x, places, shape.reshape(value, shape=wanted))


@operation(
    decided=("index",),
    argument_order=("x", "index", "values", "axis", "inplace"),
    keyword_aliases={"indices": "index", "arr": "x"},
    samples=(
        sample((2, 3), (), index=((0,), (1,)), axis=1, inplace=False),
        sample((2, 3), (2, 2), index=((0, 2), (1, 0)), axis=1, inplace=False),
    ),
    refuses=(
        Refusal(sample((2, 3), (), index=((0,), (1,)), axis=1), "in-place-operation"),
        Refusal(sample((2, 3), (), index=(0, 1), axis=1, inplace=False), "gather-shape"),
        Refusal(sample((3,), (2,), index=(0, 0), axis=0, inplace=False), "repeated-write"),
    ),
)
def put_along_axis(x, values, *, index, axis, inplace=True):
    """x with others written at positions along an axis, as `take_along_axis` reads them.

    Shapes:  x [m, n], index [m, k], values [m, k] or a number, axis 1 -> [m, n]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each value the adjoint of its position
    Example: vjp explain "jnp.put_along_axis(x, [2], v, 0, inplace=False)" x=1,2,3 v=9 --seed ones
    """
    _refuse_in_place("put_along_axis", inplace, "jnp.put_along_axis(..., inplace=False)")
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim != x.ndim:
        raise fail(
            "gather-shape",
            f"an index of shape {shape_text(found.shape)} does not fit {shape_text(x.shape)}",
            notes=("it has as many axes",),
        )
    return scattering.write(x, gathering.open_grid(x.shape, axis, found), values)


@operation(
    aliases=("putmask", "copyto"),
    decided=("where",),
    refuses=(Refusal(sample((2,), (2,)), "in-place-operation"),),
)
def place(x, mask=None, values=None, *, where=None, inplace=True):
    """Refused: it changes an array in place, and here every step makes a new one.

    Shapes:  x [...] -> none
    Kinks:   none
    Source:  np.place, np.putmask, np.copyto
    Example: vjp explain "where(x > 1, 0, x)" x=1,2,3 --seed ones
    """
    raise fail(
        "in-place-operation",
        "it changes its array in place and gives nothing back",
        notes=("where(mask, value, x) gives the new array",),
    )
