"""Products in jax.lax's words: contractions by numbered axes, convolutions by named ones."""

from __future__ import annotations

from string import ascii_letters
from typing import NamedTuple

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    one_of,
    true_or_false,
    whole_number,
    whole_numbers,
    whole_per_axis,
)
from vjpcli.ops.linear_algebra import einsum
from vjpcli.ops.neural import convolution
from vjpcli.ops.shapes import lax_shapes, ordering

# --- contractions


def _axes_of_pair(name, pair):
    """Two lists of axes.

    Errors: keyword-value.
    """
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise fail("keyword-value", f"{name} are two lists of axes, not {pair!r}")
    return tuple(whole_numbers(name, one) if one != () else () for one in pair)


@operation(
    samples=(
        sample((2, 3), (3, 4), dimension_numbers=(((1,), (0,)), ((), ()))),
        sample((2, 3, 4), (2, 4, 5), dimension_numbers=(((2,), (1,)), ((0,), (0,)))),
        sample((3,), (3,), dimension_numbers=(((0,), (0,)), ((), ()))),
    ),
    refuses=(
        Refusal(sample((2, 3), (3, 4), dimension_numbers=((1,), (0,))), "keyword-value"),
        Refusal(
            sample((2, 3), (2, 4), dimension_numbers=(((1,), (0,)), ((), ()))), "shape-mismatch"
        ),
        Refusal(
            sample((2, 3), (3, 4), dimension_numbers=(((2,), (0,)), ((), ()))), "axis-out-of-range"
        ),
    ),
    analytic=True,
)
def dot_general(lhs, rhs, *, dimension_numbers):
    """The sum of products over chosen pairs of axes, one for each place of other pairs.

    Shapes:  dimension_numbers: ((summed of lhs, of rhs), (kept together of lhs, of rhs)) ->
             [kept together, the rest of lhs, the rest of rhs]
    Kinks:   none
    Source:  jax.lax.dot_general; an `einsum`
    Example: vjp explain "lax.dot_general(A, x, (((1,), (0,)), ((), ())))" A=[[1,2],[3,4]] x=1,10
    """
    if not isinstance(dimension_numbers, tuple) or len(dimension_numbers) != 2:
        raise fail("keyword-value", "`dimension_numbers` are two pairs of lists of axes")
    summed = _axes_of_pair("the summed axes", dimension_numbers[0])
    together = _axes_of_pair("the axes kept together", dimension_numbers[1])
    letters = iter(ascii_letters)
    names = [["" for _ in range(one.ndim)] for one in (lhs, rhs)]
    for pairs in (together, summed):
        if len(pairs[0]) != len(pairs[1]):
            raise fail("keyword-value", "as many axes of the one as of the other are needed")
        for first, second in zip(*pairs, strict=True):
            _pair_axes(lhs, rhs, first, second, names, next(letters))
    kept = "".join(names[0][axis] for axis in together[0])
    rest = []
    for side in names:
        for place, name in enumerate(side):
            if not name:
                side[place] = next(letters)
                rest.append(side[place])
    left, right = ("".join(side) for side in names)
    return einsum.einsum(lhs, rhs, subscripts=f"{left},{right}->{kept}{''.join(rest)}")


def _pair_axes(lhs, rhs, first, second, names, letter):
    """Gives one letter to an axis of each side.

    Errors: axis-out-of-range, axis-twice, shape-mismatch.
    """
    first, second = trailing_axis(lhs, first) + lhs.ndim, trailing_axis(rhs, second) + rhs.ndim
    if names[0][first] or names[1][second]:
        raise fail("axis-twice", "the same axis is named twice in `dimension_numbers`")
    if lhs.shape[first] != rhs.shape[second]:
        raise fail(
            "shape-mismatch",
            f"dot_general cannot combine shapes {shape_text(lhs.shape)} and "
            f"{shape_text(rhs.shape)}",
            notes=(f"axis {first} of the first and axis {second} of the second differ",),
        )
    names[0][first] = names[1][second] = letter


# --- convolutions

SPATIAL = {1: "H", 2: "HW", 3: "DHW"}


class Layout(NamedTuple):
    """The order of axes of the input, the kernel and the output, as letters: NCHW, OIHW, NCHW."""

    lhs: str
    rhs: str
    out: str


def _layout(rank, dimension_numbers, default=None):
    """The named order of axes.

    Errors: keyword-value.
    """
    letters = SPATIAL[rank]
    if dimension_numbers is None:
        return default or Layout(f"NC{letters}", f"OI{letters}", f"NC{letters}")
    good = isinstance(dimension_numbers, tuple) and len(dimension_numbers) == 3
    if not good or any(not isinstance(one, str) for one in dimension_numbers):
        raise fail(
            "keyword-value",
            "`dimension_numbers` are three words such as ('NCHW', 'OIHW', 'NCHW')",
        )
    lhs, rhs, out = dimension_numbers
    spatial = [letter for letter in rhs if letter not in "OI"]
    for word, others in ((lhs, "NC"), (rhs, "OI"), (out, "NC")):
        if sorted(word) != sorted([*others, *spatial]) or len(spatial) != rank:
            raise fail(
                "keyword-value",
                f"{word!r} does not name {rank + 2} axes: {others} and the spatial ones",
            )
    return Layout(lhs, rhs, out)


def _in_order(x, written, wanted):
    """x with its axes, written as letters, in another order."""
    if written == wanted:
        return x
    return ordering.permute(x, axis=tuple(written.index(letter) for letter in wanted))


def _padding_of(padding, lengths, spans, strides):
    """(low, high) for each spatial axis.

    Errors: keyword-value.
    """
    if isinstance(padding, str):
        word = one_of("padding", padding.upper(), ("SAME", "VALID", "SAME_LOWER"))
        if word == "VALID":
            return [(0, 0)] * len(lengths)
        found = []
        for length, span, stride in zip(lengths, spans, strides, strict=True):
            total = max((-(-length // stride) - 1) * stride + span - length, 0)
            low = total // 2 if word == "SAME" else total - total // 2
            found.append((low, total - low))
        return found
    pairs = padding if isinstance(padding, tuple) else ()
    if len(pairs) != len(lengths) or any(not isinstance(o, tuple) or len(o) != 2 for o in pairs):
        raise fail(
            "keyword-value",
            f"`padding` is 'SAME', 'VALID' or (low, high) for each of {len(lengths)} axes",
        )
    return [(low, high) for low, high in (whole_numbers("padding", pair) for pair in pairs)]


def _rank(name, lhs, rhs):
    rank = lhs.ndim - 2
    if rank not in convolution.BY_RANK or rhs.ndim != lhs.ndim:
        raise fail(
            "shape-mismatch",
            f"{name} takes arrays of the same 3 to 5 axes, not shapes {shape_text(lhs.shape)} and "
            f"{shape_text(rhs.shape)}",
        )
    return rank


def _convolved(lhs, rhs, strides, padding, lhs_dilation, rhs_dilation, layout, groups):
    rank = lhs.ndim - 2
    spatial = "".join(letter for letter in layout.rhs if letter not in "OI")
    x = _in_order(lhs, layout.lhs, f"NC{spatial}")
    weight = _in_order(rhs, layout.rhs, f"OI{spatial}")
    strides, apart, spread = (
        whole_per_axis(word, 1 if value is None else value, rank, least=1)
        for word, value in (
            ("window_strides", strides),
            ("lhs_dilation", lhs_dilation),
            ("rhs_dilation", rhs_dilation),
        )
    )
    lengths = [(n - 1) * gap + 1 for n, gap in zip(x.shape[2:], apart, strict=True)]
    spans = [(k - 1) * gap + 1 for k, gap in zip(weight.shape[2:], spread, strict=True)]
    pairs = _padding_of(padding, lengths, spans, strides)
    config = [(low, high, gap - 1) for (low, high), gap in zip(pairs, apart, strict=True)]
    if any(any(one) for one in config):
        nothing = ((0, 0, 0), (0, 0, 0))
        x = lax_shapes.pad_between(x, 0.0, padding_config=(*nothing, *config))
    y = convolution.BY_RANK[rank](x, weight, stride=strides, dilation=spread, groups=groups)
    return _in_order(y, f"NC{spatial}", layout.out)


CONVOLUTION_SAMPLES = (
    sample((1, 2, 5), (3, 2, 2), window_strides=(1,), padding="SAME"),
    sample((1, 1, 4, 3), (2, 1, 2, 2), window_strides=(2, 1), padding=((1, 0), (0, 1))),
    sample((1, 1, 4, 4), (2, 1, 2, 2), window_strides=(1, 1), padding="VALID", rhs_dilation=(2, 1)),
    sample((1, 1, 3, 3), (1, 1, 2, 2), window_strides=(1, 1), padding="VALID", lhs_dilation=(2, 2)),
    sample(
        (1, 3, 3, 2),
        (2, 2, 2, 3),
        window_strides=(1, 1),
        padding="SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    ),
    sample((1, 2, 4), (2, 1, 2), window_strides=(1,), padding="VALID", feature_group_count=2),
)


@operation(
    samples=CONVOLUTION_SAMPLES,
    refuses=(
        Refusal(sample((2, 3), (2, 3), window_strides=(1,), padding="SAME"), "shape-mismatch"),
        Refusal(sample((1, 1, 3), (1, 1, 2), window_strides=(1,), padding="FULL"), "keyword-value"),
        Refusal(
            sample((1, 1, 3), (1, 1, 2), window_strides=(1,), padding=((1, 1), (0, 0))),
            "keyword-value",
        ),
        Refusal(
            sample(
                (1, 1, 3),
                (1, 1, 2),
                window_strides=(1,),
                padding="SAME",
                dimension_numbers=("NCX", "OIX", "NC"),
            ),
            "keyword-value",
        ),
    ),
    analytic=True,
)
def conv_general_dilated(
    lhs,
    rhs,
    *,
    window_strides,
    padding,
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    feature_group_count=1,
    batch_group_count=1,
):
    """Each window of the input times each kernel, in jax.lax's words. The kernel is not flipped.

    Shapes:  lhs [N, C, ...], rhs [O, C/groups, ...] -> [N, O, ...], or as dimension_numbers name
             the axes: ('NHWC', 'HWIO', 'NHWC')
    Kinks:   none
    Source:  jax.lax.conv_general_dilated; see `conv2d`
    Example: vjp explain "lax.conv_general_dilated(x, k, (1,), 'SAME')" x=[[[1,2,3]]] k=[[[1,10]]]
    """
    rank = _rank("conv_general_dilated", lhs, rhs)
    whole_number("batch_group_count", batch_group_count, least=1, most=1)
    return _convolved(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        _layout(rank, dimension_numbers),
        whole_number("feature_group_count", feature_group_count, least=1),
    )


@operation(
    library_names={"jax": ("lax.conv", "lax.conv_with_general_padding")},
    samples=(sample((1, 2, 5), (3, 2, 2), window_strides=(2,), padding="SAME"),),
    refuses=(
        Refusal(sample((1, 2), (3, 2), window_strides=(1,), padding="SAME"), "shape-mismatch"),
    ),
    analytic=True,
)
def lax_conv(lhs, rhs, *, window_strides, padding, lhs_dilation=None, rhs_dilation=None):
    """Each window of the input times each kernel: jax.lax.conv. The kernel is not flipped.

    Shapes:  lhs [N, C, ...], rhs [O, C, ...] -> [N, O, ...]
    Kinks:   none
    Source:  see `conv_general_dilated`
    Example: vjp explain "lax.conv(x, k, (1,), 'SAME')" x=[[[1,2,3]]] k=[[[1,10]]] --seed ones
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides=window_strides,
        padding=padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
    )


def _padding_of_transpose(padding, span, stride):
    """(low, high) around the spread input, as jax.lax.conv_transpose has them."""
    if not isinstance(padding, str):
        return padding
    if one_of("padding", padding.upper(), ("SAME", "VALID")) == "SAME":
        total = span + stride - 2
        low = span - 1 if stride > span - 1 else -(-total // 2)
    else:
        total = span + stride - 2 + max(span - stride, 0)
        low = span - 1
    return (low, total - low)


@operation(
    library_names={"jax": ("lax.conv_transpose",)},
    samples=(
        sample((1, 3, 2), (2, 2, 3), strides=(2,), padding="SAME"),
        sample((1, 2, 2, 1), (3, 2, 1, 2), strides=(2, 1), padding="VALID"),
        sample((1, 3, 2), (2, 2, 3), strides=(1,), padding=((1, 0),)),
    ),
    refuses=(
        Refusal(sample((1, 3), (2, 2), strides=(1,), padding="SAME"), "shape-mismatch"),
        Refusal(
            sample((1, 3, 2), (2, 2, 3), strides=(1,), padding="SAME", transpose_kernel=True),
            "keyword-value",
        ),
    ),
    analytic=True,
)
def lax_conv_transpose(
    lhs, rhs, *, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False
):
    """A convolution over an input spread apart: jax.lax.conv_transpose.

    Shapes:  lhs [N, ..., C], rhs [..., C, O] -> [N, ..., O], or as dimension_numbers name the axes
    Kinks:   none
    Source:  `conv_general_dilated` with the strides between the entries of the input
    Example: vjp explain "lax.conv_transpose(x, k, (2,), 'SAME')" x=[[[1],[2]]] k=[[[1]],[[10]]]
    """
    rank = _rank("conv_transpose", lhs, rhs)
    if true_or_false("transpose_kernel", transpose_kernel):
        raise fail("keyword-value", "`transpose_kernel` of conv_transpose is False here")
    letters = {1: "H", 2: "HW", 3: "HWD"}[rank]
    default = Layout(f"N{letters}C", f"{letters}IO", f"N{letters}C")
    layout = _layout(rank, dimension_numbers, default)
    steps = whole_per_axis("strides", strides, rank, least=1)
    spread = whole_per_axis(
        "rhs_dilation", 1 if rhs_dilation is None else rhs_dilation, rank, least=1
    )
    kernel = [rhs.shape[layout.rhs.index(letter)] for letter in layout.rhs if letter not in "OI"]
    spans = [(k - 1) * gap + 1 for k, gap in zip(kernel, spread, strict=True)]
    pairs = padding
    if isinstance(padding, str):
        pairs = tuple(
            _padding_of_transpose(padding, *one) for one in zip(spans, steps, strict=True)
        )
    return _convolved(lhs, rhs, 1, pairs, steps, spread, layout, 1)


@operation(
    samples=(sample([1.3, -0.7], y=3), sample([1.3, -0.7], y=-2), sample((2,), y=0)),
    refuses=(Refusal(sample((2,), y=0.5), "keyword-value"),),
    analytic=True,
)
def integer_pow(x, *, y):
    """Each entry to a whole power: jax.lax.integer_pow.

    Shapes:  x [...] -> [...]
    Kinks:   none; a pole at 0 where the power is negative
    Source:  power rule
    Example: vjp explain "lax.integer_pow(x, 3)" x=1,2 --seed ones
    """
    return x ** whole_number("y", y)
