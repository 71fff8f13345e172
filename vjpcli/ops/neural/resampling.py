"""Resampling: larger and smaller images from the entries of one."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of, plain_number, true_or_false, whole_number, whole_per_axis
from vjpcli.ops.neural.adaptive_pooling import pool_to_size
from vjpcli.ops.neural.grid_weights import WEIGHTS
from vjpcli.ops.shapes import indexing, shape

LINEAR_MODES = {1: "linear", 2: "bilinear", 3: "trilinear"}


def _read_along(x, axis, positions):
    return indexing.read_along(x, positions.astype(np.intp), axis)


def _nearest(x, axis, places, step, exact):
    positions = np.floor((places + 0.5 * exact) * step)
    return _read_along(x, axis, np.minimum(positions, x.shape[axis] - 1))


def _linear(x, axis, places, step, align_corners):
    last = x.shape[axis] - 1
    if align_corners:
        at = places * (last / max(1, len(places) - 1))
    else:
        at = np.maximum((places + 0.5) * step - 0.5, 0)
    low = np.minimum(np.floor(at), last)
    share = (at - low).reshape(-1, *(1,) * (-axis - 1))
    below = _read_along(x, axis, low)
    above = _read_along(x, axis, np.minimum(low + 1, last))
    return below * as_node(1 - share) + above * as_node(share)


def _cubic(x, axis, places, step, align_corners):
    """A weighted sum of the four entries around each place (Keys, 1981); the ends repeat."""
    last = x.shape[axis] - 1
    at = places * (last / max(1, len(places) - 1)) if align_corners else (places + 0.5) * step - 0.5
    low = np.floor(at)
    total = None
    for offset, polynomial in WEIGHTS["bicubic"]:
        weight = np.polyval(polynomial, at - low).reshape(-1, *(1,) * (-axis - 1))
        part = _read_along(x, axis, np.clip(low + offset, 0, last)) * as_node(weight)
        total = part if total is None else total + part
    return total


def _wanted_lengths(lengths, size, scale_factor):
    """The new length along each axis, and how far apart the places are in the old one.

    Errors: keyword-value.
    """
    if (size is None) == (scale_factor is None):
        raise fail("keyword-value", "interpolate takes either size or scale_factor")
    rank = len(lengths)
    if size is not None:
        wanted = whole_per_axis("size", size, rank, least=1)
        return wanted, [old / new for old, new in zip(lengths, wanted, strict=True)]
    several = scale_factor if isinstance(scale_factor, list | tuple) else (scale_factor,) * rank
    factors = [float(plain_number("scale_factor", one)) for one in several]
    if len(factors) != rank or not all(0 < one < np.inf for one in factors):
        raise fail("keyword-value", f"scale_factor takes {rank} numbers above 0 here, one per axis")
    wanted = tuple(int(old * factor) for old, factor in zip(lengths, factors, strict=True))
    if min(wanted) < 1:
        raise fail("keyword-value", f"scale_factor {scale_factor} leaves no entries")
    return wanted, [1 / factor for factor in factors]


@operation(
    aliases=("upsample", "upsample_nearest"),
    samples=(
        sample((1, 2, 3), size=5),
        sample((1, 2, 3), scale_factor=2, mode="linear"),
        sample((1, 1, 3, 4), size=(2, 6), mode="bilinear", align_corners=True),
        sample((1, 1, 3, 4), scale_factor=(1.5, 0.5), mode="nearest-exact"),
        sample((1, 1, 2, 2), size=3, mode="bilinear"),
        sample((1, 1, 3, 4), size=(2, 5), mode="bicubic"),
        sample((1, 1, 3, 2), size=(4, 3), mode="bicubic", align_corners=True),
        sample((1, 1, 3, 5), size=(2, 3), mode="area"),
    ),
    refuses=(
        Refusal(sample((3, 4), size=2), "shape-mismatch"),
        Refusal(sample((1, 1, 3)), "keyword-value"),
        Refusal(sample((1, 1, 3), size=2, scale_factor=2), "keyword-value"),
        Refusal(sample((1, 1, 3), size=0), "keyword-value"),
        Refusal(sample((1, 1, 3), scale_factor=0.1), "keyword-value"),
        Refusal(sample((1, 1, 3), size=2, mode="bilinear"), "keyword-value"),
        Refusal(sample((1, 1, 3), size=2, mode="bicubic"), "keyword-value"),
        Refusal(sample((1, 1, 3), size=2, mode="area", align_corners=True), "keyword-value"),
        Refusal(sample((1, 1, 0), size=2), "shape-mismatch"),
        Refusal(sample((1, 1, 3), size=10**10), "too-large"),
    ),
    analytic=True,
)
def interpolate(x, *, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The entries of an image at more or fewer places, the nearest or a weighted mean of some.

    Shapes:  x [N, C, L], [N, C, H, W] or [N, C, D, H, W] -> [N, C, *size]
    Kinks:   none
    Source:  PyTorch's grids: places at the middle of each entry unless align_corners=True;
             modes nearest, nearest-exact, area, bicubic for images, and linear, bilinear or
             trilinear by the axes
    Example: vjp explain "F.interpolate(x, scale_factor=2)" x=[[[1,2]]] --seed [[[1,10,100,1000]]]
    """
    rank = x.ndim - 2
    if rank not in LINEAR_MODES or 0 in x.shape[2:]:
        raise fail(
            "shape-mismatch",
            f"interpolate takes [N, C] and one to three further axes, not {shape_text(x.shape)}",
        )
    modes = ("nearest", "nearest-exact", "area", LINEAR_MODES[rank], *("bicubic",) * (rank == 2))
    mode = one_of("mode", mode, modes)
    align = align_corners is not None and true_or_false("align_corners", align_corners)
    if align and mode in ("nearest", "nearest-exact", "area"):
        raise fail("keyword-value", f"align_corners does not go with mode={mode!r}")
    wanted, steps = _wanted_lengths(x.shape[2:], size, scale_factor)
    refuse_oversized((*x.shape[:2], *wanted))
    if mode == "area":
        return pool_to_size("interpolate", rank, x, wanted)
    for axis, count, step in zip(range(-rank, 0), wanted, steps, strict=True):
        places = np.arange(count)
        if mode == LINEAR_MODES[rank]:
            x = _linear(x, axis, places, step, align)
        elif mode == "bicubic":
            x = _cubic(x, axis, places, step, align)
        else:
            x = _nearest(x, axis, places, step, mode == "nearest-exact")
    return x


@operation(
    samples=(
        sample((1, 1, 2, 3), scale_factor=2),
        sample((1, 2, 2, 2), size=(3, 1)),
    ),
    refuses=(
        Refusal(sample((1, 1, 3), size=2), "shape-mismatch"),
        Refusal(sample((1, 1, 2, 2)), "keyword-value"),
    ),
    analytic=True,
)
def upsample_bilinear(x, *, size=None, scale_factor=None):
    """An image enlarged by bilinear interpolation, the outer entries staying at the corners.

    Shapes:  x [N, C, H, W] -> [N, C, *size]
    Kinks:   none
    Source:  `interpolate` with mode="bilinear" and align_corners=True
    Example: vjp explain "F.upsample_bilinear(x, size=(1, 3))" x=[[[[1,2]]]] --seed ones
    """
    if x.ndim != 4:
        raise fail(
            "shape-mismatch", f"upsample_bilinear takes [N, C, H, W], not {shape_text(x.shape)}"
        )
    return interpolate(x, size=size, scale_factor=scale_factor, mode="bilinear", align_corners=True)


def _channels_and_image(name, x):
    if x.ndim < 3:
        raise fail("shape-mismatch", f"{name} takes [..., C, H, W], not {shape_text(x.shape)}")
    return x.shape[:-3], *x.shape[-3:]


@operation(
    samples=(sample((1, 4, 2, 3), upscale_factor=2), sample((9, 1, 2), upscale_factor=3)),
    refuses=(
        Refusal(sample((3, 2, 2), upscale_factor=2), "shape-mismatch"),
        Refusal(sample((4, 2), upscale_factor=2), "shape-mismatch"),
        Refusal(sample((4, 2, 2), upscale_factor=0), "keyword-value"),
    ),
    analytic=True,
)
def pixel_shuffle(x, *, upscale_factor):
    """Groups of r*r channels laid out as blocks of r by r pixels.

    Shapes:  x [..., C*r*r, H, W] -> [..., C, H*r, W*r]
    Kinks:   none
    Source:  Shi et al., "Real-Time Single Image and Video Super-Resolution" (2016)
    Example: vjp explain "pixel_shuffle(x, 2)" x=[[[1]],[[2]],[[3]],[[4]]] --seed [[[1,2],[3,4]]]
    """
    batch, channels, height, width = _channels_and_image("pixel_shuffle", x)
    r = whole_number("upscale_factor", upscale_factor, least=1)
    if channels % (r * r):
        raise fail("shape-mismatch", f"{channels} channels are not a multiple of {r}*{r}")
    blocks = shape.reshape(x, shape=(-1 if batch else 1, channels // (r * r), r, r, height, width))
    mixed = OPERATIONS["permute"](blocks, axis=(0, 1, 4, 2, 5, 3))
    return shape.reshape(mixed, shape=(*batch, channels // (r * r), height * r, width * r))


@operation(
    samples=(sample((1, 1, 4, 6), downscale_factor=2), sample((1, 3, 6), downscale_factor=3)),
    refuses=(
        Refusal(sample((1, 3, 2), downscale_factor=2), "shape-mismatch"),
        Refusal(sample((4, 2), downscale_factor=2), "shape-mismatch"),
        Refusal(sample((1, 2, 2), downscale_factor=0), "keyword-value"),
    ),
    analytic=True,
)
def pixel_unshuffle(x, *, downscale_factor):
    """Blocks of r by r pixels laid out as r*r channels: pixel_shuffle undone.

    Shapes:  x [..., C, H*r, W*r] -> [..., C*r*r, H, W]
    Kinks:   none
    Source:  the inverse of `pixel_shuffle`
    Example: vjp explain "pixel_unshuffle(x, 2)" x=[[[1,2],[3,4]]] --seed ones
    """
    batch, channels, height, width = _channels_and_image("pixel_unshuffle", x)
    r = whole_number("downscale_factor", downscale_factor, least=1)
    if height % r or width % r:
        raise fail("shape-mismatch", f"an image of {height} x {width} has no blocks of {r} x {r}")
    blocks = shape.reshape(x, shape=(-1 if batch else 1, channels, height // r, r, width // r, r))
    mixed = OPERATIONS["permute"](blocks, axis=(0, 1, 3, 5, 2, 4))
    return shape.reshape(mixed, shape=(*batch, channels * r * r, height // r, width // r))
