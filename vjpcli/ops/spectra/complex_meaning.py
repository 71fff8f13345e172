"""What operations make of complex values, written in real operations on the two parts.

Four kinds of meaning. Most operations move entries or add them up, and do so to each part.
Products are multiplied out. Some composites mean for complex operands what they mean for real
ones, because all that they are made of does. The others are told one by one, in
`complex_functions.py`. What is in none of the lists takes real numbers only.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.node import Node
from vjpcli.graph.operation import Operation, make_constant
from vjpcli.ops.spectra.complex_functions import MEANINGS
from vjpcli.ops.spectra.complex_parts import imaginary_part, is_zero, minus, pair, plus, real_part

_ON_EACH_PART = """
    negative positive nansum mean trace cumsum diff add_into add_kernel_windows where
    stop_gradient nan_to_num round
"""
_MULTILINEAR = "matmul outer einsum cross"
_AS_MADE = """
    T t transpose swapaxes moveaxis fliplr flipud rot90 flatten ravel unflatten reshape_as
    expand_as atleast_1d atleast_2d atleast_3d hstack vstack dstack column_stack append repeat kron
    meshgrid broadcast_tensors split split_into tensor_split chunk unbind hsplit vsplit dsplit
    take index_select gather take_along_axis masked_select narrow select diag diagflat
    matvec vecmat bmm addmm addmv addr baddbmm addbmm linear bilinear dot inner mv mm tensordot
    multi_dot convolve trapezoid cumulative_trapezoid average add_scaled subtract_scaled rsub
    zeros_like ones_like full full_like array scatter scatter_add index_add index_copy index_fill
    put masked_fill sliding_window_view windows_along unfold pad_last_axes block_diag matrix_power
    polyval vander linalg_vander linalg_cross cross_along conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d l1_loss dist normalize
    compress extract block delete insert cyclic_resize rollaxis sum_to_size ediff1d simpson
    dot_general integer_pow reversed_along in_front placed_in_axes collapsed lax_slice
    slice_in_dim index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_index_in_dim
    dynamic_update_slice dynamic_update_slice_in_dim dynamic_update_index_in_dim
    new_zeros new_ones new_full new_tensor fill select_scatter slice_scatter
    masked_scatter index_put constant_pad_nd polyder polyint polyadd polysub polymul fma sumprod
    cumulative_sum signal_convolve convolve2d hankel circulant companion conv_tbc segment_sum
    fill_diagonal put_along_axis place frobenius_norm
"""
ON_EACH_PART = frozenset(_ON_EACH_PART.split())
"""Operations that act on each part by itself; so does everything that only moves entries."""

MULTILINEAR = frozenset(_MULTILINEAR.split())
"""Operations that are linear in each operand: their products are multiplied out."""

AS_MADE = frozenset(_AS_MADE.split())
"""Composites whose definition holds for complex operands as it stands."""


def on_complex(operation: Operation, operands: Any, static: Any) -> Any:
    """What `operation` makes of operands of which some are complex.

    Errors: complex-operand, and what the operations on the parts refuse.
    """
    name = operation.name
    if name in MEANINGS:
        return MEANINGS[name](*operands, **static)
    if name in AS_MADE:
        return operation.body(*operands, **static)
    if name in MULTILINEAR:
        return _multiplied_out(operation, operands, static)
    if name in ON_EACH_PART or operation.pattern == "movement":
        return _on_each_part(operation, operands, static)
    raise real_needed(f"{name} takes real numbers")


def _on_each_part(operation: Operation, operands: Any, static: Any) -> Complex:
    names = operation.operand_names
    chooses = [names[min(i, len(names) - 1)] == "condition" for i in range(len(operands))]
    if any(isinstance(one, Complex) for one, does in zip(operands, chooses, strict=True) if does):
        raise real_needed("a condition is true or false")
    parts = []
    for part in (real_part, imaginary_part):
        given = (
            one if one is None or does else part(one)
            for one, does in zip(operands, chooses, strict=True)
        )
        parts.append(operation(*given, **static))
    return pair(*parts)


def _multiplied_out(operation: Operation, operands: Any, static: Any) -> Complex:
    """(a + ib)(c + id) = (ac - bd) + i(ad + bc), for any number of factors."""
    real: Any = None
    imaginary: Any = None
    choices = [(False, True) if isinstance(one, Complex) else (False,) for one in operands]
    for chosen in product(*choices):
        factors = [
            imaginary_part(one) if taken else real_part(one)
            for one, taken in zip(operands, chosen, strict=True)
        ]
        term = operation(*factors, **static)
        if any(map(is_zero, factors)):
            term = make_constant(np.broadcast_to(0.0, term.shape))
        turns = sum(chosen)
        if turns % 2 == 0:
            real = _summed(real, term, negated=turns % 4 == 2)
        else:
            imaginary = _summed(imaginary, term, negated=turns % 4 == 3)
    return pair(real, imaginary)


def _summed(total: Any, term: Node, *, negated: bool) -> Any:
    if total is None:
        return minus(0.0, term) if negated else term
    return minus(total, term) if negated else plus(total, term)
