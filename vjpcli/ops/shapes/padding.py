"""Padding and windows: entries put around an array, and stretches of it read side by side."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    array_shape,
    one_of,
    plain_number,
    whole_number,
    whole_numbers,
    whole_per_axis,
)
from vjpcli.ops.shapes import indexing, ordering, padding_by_value, shape
from vjpcli.ops.shapes.padding_by_value import MADE_MODES

MODES = {
    "constant": "constant",
    "edge": "edge",
    "replicate": "edge",
    "reflect": "reflect",
    "symmetric": "symmetric",
    "wrap": "wrap",
    "circular": "wrap",
}
"""A mode of np.pad or F.pad -> np.pad's name for it."""


def _pad(x, *, widths, mode, value):
    batch = ((0, 0),) * (x.ndim - len(widths))
    if mode == "constant":
        return np.pad(x, batch + widths, constant_values=value)
    return np.pad(x, batch + widths, mode=mode)


def _reads(x, *, widths, mode, value):
    """What is put around reads no entry when it is constant."""
    return _pad(x, widths=widths, mode=mode, value=0)


def _both_sides(x, widths):
    """`widths` in each of np.pad's short forms as (before, after) for every axis.

    Errors: pad-widths, keyword-value.
    """
    try:
        given = np.asarray(widths)
        pairs = np.broadcast_to(given, (x.ndim, 2)).tolist()
    except ValueError:
        raise fail(
            "pad-widths",
            f"{widths!r} is not (before, after) for each axis of {shape_text(x.shape)}",
        ) from None
    return tuple(whole_numbers("widths", tuple(pair), least=0) for pair in pairs)


@operation(
    _pad,
    pattern=_reads,
    keyword_aliases={"pad_width": "widths", "constant_values": "value"},
    samples=(
        sample((3,), widths=(1, 2)),
        sample((2, 3), widths=((1, 0), (0, 2)), value=5),
        sample((2, 3), widths=1, mode="edge"),
        sample((2, 3), widths=((1, 1), (2, 2)), mode="reflect"),
        sample((3,), widths=(2, 1), mode="symmetric"),
        sample((3,), widths=(2, 4), mode="wrap"),
        sample((0,), widths=1),
        sample((), widths=0),
        sample((2, 3), widths=((1, 0), (0, 2)), value=(1, 2)),
        sample((2, 3), widths=((1, 2), (0, 2)), mode="linear_ramp", end_values=((0, 1), (2, 3))),
        sample((2, 3), widths=1, mode="maximum"),
        sample((2, 3), widths=((0, 1), (2, 0)), mode="mean", stat_length=2),
        sample((3,), widths=2, mode="median"),
        sample((4,), widths=(1, 2), mode="minimum", stat_length=((2, 3),)),
    ),
    refuses=(
        Refusal(sample((3,), widths=((1, 1), (1, 1), (0, 0))), "pad-widths"),
        Refusal(sample((3,), widths=(-1, 0)), "keyword-value"),
        Refusal(sample((3,), widths=0.5), "keyword-value"),
        Refusal(sample((3,), widths="ab"), "keyword-value"),
        Refusal(sample((3,), widths=1, mode="empty"), "keyword-value"),
        Refusal(sample((3,), widths=1, mode="mean", stat_length=0), "keyword-value"),
        Refusal(sample((3,), widths=1, value=(1, 2, 3)), "keyword-value"),
        Refusal(sample((0,), widths=1, mode="mean"), "pad-empty"),
        Refusal(sample((0,), widths=1, mode="edge"), "pad-empty"),
        Refusal(sample((3,), widths=10**10), "too-large"),
    ),
)
def pad(x, *, widths, mode="constant", value=0, end_values=0, stat_length=None):
    """Entries put around an array; `widths` holds (before, after) for each axis (np.pad).

    Shapes:  x [n], widths (a, b) -> [a + n + b]; a single pair or number holds for all axes
    Kinks:   none but in the modes 'maximum', 'minimum' and 'median', at ties
    Source:  what is put around is constant, or a copy whose adjoint goes to its original
    Example: vjp explain "np.pad(x, (1, 2), mode='edge')" x=1,2,3 --seed 1,1,1,1,10,10
    """
    pairs = _both_sides(x, widths)
    if one_of("mode", mode, (*sorted(MODES), *MADE_MODES)) in MADE_MODES or (
        mode == "constant" and isinstance(value, tuple)
    ):
        return _made(x, pairs, mode, value, end_values, stat_length)
    method = MODES[mode]
    value = 0 if value is None else plain_number("value", value)
    if not any(a or b for a, b in pairs):
        return x
    padded = [a + n + b for n, (a, b) in zip(x.shape, pairs, strict=True)]
    empty = any(n == 0 and a + b for n, (a, b) in zip(x.shape, pairs, strict=True))
    if method != "constant" and empty:
        raise fail("pad-empty", f"an axis of length 0 has no entries to copy: {mode} needs one")
    return outcome(array_shape(padded), widths=pairs, mode=method, value=value)


def _made(x, pairs, mode, value, end_values, stat_length):
    """x in the modes that make new numbers of its own, or take one for each side."""
    padded = [a + n + b for n, (a, b) in zip(x.shape, pairs, strict=True)]
    array_shape(padded)
    if mode == "constant":
        numbers = padding_by_value.number_pairs("value", x, value)
        return padding_by_value.padded_with_numbers(x, pairs, numbers)
    if 0 in x.shape:
        raise fail("pad-empty", f"an axis of length 0 has no entries to copy: {mode} needs one")
    if mode == "linear_ramp":
        ends = padding_by_value.number_pairs("end_values", x, end_values)
        return padding_by_value.padded_with_ramps(x, pairs, ends)
    return padding_by_value.padded_with_statistics(x, pairs, mode, stat_length)


@pad.vjp
def _(g, y, x, *, widths, mode, value):
    if mode == "constant":
        inside = [slice(a, a + n) for n, (a, b) in zip(x.shape, widths, strict=True)]
        return indexing.index(g, index=(Ellipsis, *inside))
    for axis, (n, width) in enumerate(zip(x.shape, widths, strict=True), start=-x.ndim):
        if width != (0, 0):
            copied = np.pad(np.arange(n), width, mode=mode)
            g = _added_along(g, copied, n, axis)
    return g


def _added_along(g, positions, length, axis):
    """The slices of g added into an axis of this length, at these positions."""
    lengths = (*g.shape[: g.ndim + axis], length, *g.shape[g.ndim + axis + 1 :])
    before = (slice(None),) * (g.ndim + axis)
    return indexing.add_into(g, index=(*before, positions), shape=lengths)


@operation(
    library_names={"torch": ("pad",)},
    keyword_aliases={"pad": "widths"},
    convention="pad: pairs begin with the last axis (PyTorch; np.pad begins with the first)",
    samples=(
        sample((2, 3), widths=(1, 2)),
        sample((2, 3), widths=(0, 1, 2, 0), value=-1.5),
        sample((1, 1, 3), widths=(1, 1), mode="reflect"),
        sample((1, 1, 3), widths=(2, 2), mode="replicate"),
        sample((1, 3), widths=(1, 2), mode="circular"),
        sample((4,), widths=(-1, 1)),
        sample((4,), widths=()),
    ),
    refuses=(
        Refusal(sample((3,), widths=(1, 2, 3)), "pad-widths"),
        Refusal(sample((3,), widths=(1, 1, 1, 1)), "pad-widths"),
        Refusal(sample((3,), widths=(-2, -2)), "pad-widths"),
        Refusal(sample((3,), widths=(0.5, 1)), "keyword-value"),
        Refusal(sample((3,), widths=(1, 1), mode="spiral"), "keyword-value"),
    ),
)
def pad_last_axes(x, *, widths, mode="constant", value=None):
    """Entries put around the last axes: (left, right), then (top, bottom), and so on (F.pad).

    Negative widths cut entries off. With the prefix np. it is `pad`.

    Shapes:  x [..., m, n], widths (l, r, t, b) -> [..., t+m+b, l+n+r]
    Kinks:   none
    Source:  what is put around is constant, or a copy whose adjoint goes to its original
    Example: vjp explain "F.pad(x, (1, 2), mode='replicate')" x=[[1,2,3]] --seed [[1,1,1,1,10,10]]
    """
    numbers = whole_numbers("widths", widths)
    if len(numbers) % 2 or len(numbers) > 2 * x.ndim:
        raise fail(
            "pad-widths",
            f"{len(numbers)} widths are not (before, after) for some last axes of "
            f"{shape_text(x.shape)}",
        )
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    for axis, (before, after) in enumerate(pairs, start=-x.ndim):
        cut = max(-before, 0), max(-after, 0)
        if sum(cut) > x.shape[axis]:
            raise fail("pad-widths", f"{sum(cut)} entries cannot be cut from {x.shape[axis]}")
        if any(cut):
            x = indexing.read_range(x, cut[0], x.shape[axis] - cut[1], axis)
    grown = tuple((max(before, 0), max(after, 0)) for before, after in pairs)
    return pad(x, widths=grown, mode=mode, value=value)


@operation(
    keyword_aliases={"pad": "widths"},
    samples=(sample((2, 3), widths=(1, 2)), sample((2, 3), widths=(0, 1, -1, 0), value=5)),
    refuses=(Refusal(sample((3,), widths=(1, 2, 3)), "pad-widths"),),
)
def constant_pad_nd(x, *, widths, value=0):
    """A number put around the last axes: torch.constant_pad_nd.

    Shapes:  x [..., m, n], widths (l, r, t, b) -> [..., t+m+b, l+n+r]
    Kinks:   none
    Source:  `pad_last_axes` with mode="constant"
    Example: vjp explain "torch.constant_pad_nd(x, (1, 2), 5)" x=1,2,3 --seed ones
    """
    return pad_last_axes(x, widths=widths, value=value)


def _window_starts(length, size, step):
    """First positions of the windows of this size in an axis.

    Errors: window-size.
    """
    if size > length:
        raise fail("window-size", f"a window of {size} does not fit into {length} entries")
    return np.arange(0, length - size + 1, min(step, length))


@operation(
    method_names=dict.fromkeys(("torch", "numpy", "jax"), ("unfold",)),
    keyword_aliases={"dimension": "axis"},
    samples=(
        sample((5,), axis=0, size=3, step=1),
        sample((5, 2), axis=0, size=2, step=2),
        sample((2, 4), axis=-1, size=4, step=1),
    ),
    refuses=(
        Refusal(sample((5,), axis=0, size=6, step=1), "window-size"),
        Refusal(sample((5,), axis=0, size=2, step=0), "keyword-value"),
        Refusal(sample((5,), axis=1, size=2, step=1), "axis-out-of-range"),
    ),
)
def windows_along(x, *, axis, size, step):
    """Every stretch of `size` entries along an axis, `step` apart: x.unfold(axis, size, step).

    Shapes:  x [n, m], axis 0 -> [(n - size)//step + 1, m, size]
    Kinks:   none
    Source:  a selection: an entry in several windows receives several adjoints
    Example: vjp explain "x.unfold(0, 2, 1) @ w" x=1,2,3,4 w=1,10 --seed ones
    """
    axis = trailing_axis(x, axis)
    size = whole_number("size", size, least=1)
    starts = _window_starts(x.shape[axis], size, whole_number("step", step, least=1))
    read = indexing.read_along(x, starts[:, None] + np.arange(size), axis)
    return ordering.moveaxis(read, source=axis + x.ndim + 1, destination=-1)


@operation(
    keyword_aliases={"window_shape": "window"},
    samples=(
        sample((5,), window=3),
        sample((3, 4), window=(2, 3)),
        sample((3, 4), window=2, axis=1),
    ),
    refuses=(
        Refusal(sample((5,), window=6), "window-size"),
        Refusal(sample((3, 4), window=2), "axes-count"),
    ),
)
def sliding_window_view(x, *, window, axis=None):
    """Every window of a shape in an array, one place apart (NumPy).

    Shapes:  x [m, n], window (a, b) -> [m-a+1, n-b+1, a, b]
    Kinks:   none
    Source:  a selection: an entry in several windows receives several adjoints
    Example: vjp explain "sliding_window_view(x, 2) @ w" x=1,2,3,4 w=1,10 --seed ones
    """
    sizes = whole_numbers("window", window, least=1)
    axes = trailing_axes(x, axis) if axis is None else axis
    axes = axes if isinstance(axes, list | tuple) else (axes,)
    if len(sizes) != len(axes):
        raise fail("axes-count", f"a window of {len(sizes)} axes for {len(axes)} axes of the array")
    places = [trailing_axis(x, one) + x.ndim for one in axes]
    for place, size in zip(places, sizes, strict=True):
        x = windows_along(x, axis=place, size=size, step=1)
    return x


@operation(
    samples=(
        sample((1, 2, 3, 4), kernel_size=2),
        sample((2, 3, 3), kernel_size=(2, 1), stride=2, padding=1),
        sample((1, 1, 4, 5), kernel_size=2, dilation=2),
    ),
    refuses=(
        Refusal(sample((3, 4), kernel_size=2), "unfold-rank"),
        Refusal(sample((1, 1, 2, 2), kernel_size=3), "window-size"),
        Refusal(sample((1, 1, 2, 2), kernel_size=0), "keyword-value"),
        Refusal(sample((1, 1, 2, 2), kernel_size=(1, 1, 1)), "keyword-value"),
    ),
)
def unfold(x, *, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of images as columns, as a convolution reads them (F.unfold).

    Shapes:  x [N, C, H, W] -> [N, C*kh*kw, number of patches]; N may be missing
    Kinks:   none
    Source:  a selection: an entry in several patches receives several adjoints
    Example: vjp explain "F.unfold(x, 2)" x=[[[1,2,3],[4,5,6]]] --seed ones
    """
    if x.ndim not in (3, 4):
        raise fail(
            "unfold-rank",
            f"F.unfold takes images [N, C, H, W], not shape {shape_text(x.shape)}",
            notes=("x.unfold(axis, size, step) reads windows along one axis of any array",),
        )
    kernel = whole_per_axis("kernel_size", kernel_size, 2, least=1)
    spread = whole_per_axis("dilation", dilation, 2, least=1)
    step = whole_per_axis("stride", stride, 2, least=1)
    border = whole_per_axis("padding", padding, 2, least=0)
    if any(border):
        x = pad_last_axes(x, widths=(border[1], border[1], border[0], border[0]))
    starts = [
        _window_starts(x.shape[i - 2], spread[i] * (kernel[i] - 1) + 1, step[i]) for i in (0, 1)
    ]
    rows, columns = (
        # a single entry is spread over nothing, however far
        min(spread[i], x.shape[i - 2]) * np.arange(kernel[i])[:, None] + starts[i]
        for i in (0, 1)
    )
    # [..., C, kernel row, kernel column, patch row, patch column]
    patches = indexing.index(x, index=(Ellipsis, rows[:, None, :, None], columns[None, :, None, :]))
    lengths = (
        *x.shape[:-3],
        x.shape[-3] * kernel[0] * kernel[1],
        rows.shape[1] * columns.shape[1],
    )
    return shape.reshape(patches, shape=lengths)
