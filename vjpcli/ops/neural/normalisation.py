"""Normalisation: x less its mean, divided by its spread, over various groups of entries.

All of them divide by sqrt(variance + eps) with the population variance (ddof 0), so that a
constant group is no singular point.
"""

from __future__ import annotations

from vjpcli.graph.facts import positive, real
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import plain_number, true_or_false, whole_number, whole_per_axis
from vjpcli.ops.neural.windows import kernel_windows, padded
from vjpcli.ops.numbers import elementary
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import shape


def _standardised(x, axes, eps):
    centred = x - reduction.mean(x, axis=axes, keepdims=True)
    variance = reduction.mean(centred * centred, axis=axes, keepdims=True)
    return centred / elementary.sqrt(variance + eps)


def _scaled(y, weight, bias):
    if weight is not None:
        y = y * weight
    return y if bias is None else y + bias


def _last_axes(name, x, normalized_shape, *parameters):
    """The axes that `normalized_shape` names, which are the last ones of x.

    Errors: keyword-value, shape-mismatch.
    """
    if normalized_shape is None:
        normalized_shape = x.shape[-1:]
    if not isinstance(normalized_shape, list | tuple):
        normalized_shape = (normalized_shape,)
    wanted = whole_per_axis("normalized_shape", normalized_shape, len(normalized_shape), least=0)
    if not wanted or x.shape[-len(wanted) :] != wanted:
        raise fail(
            "shape-mismatch",
            f"normalized_shape {wanted} is not how shape {shape_text(x.shape)} ends",
            notes=(f"{name} normalises over the last axes, whose lengths it wants to hear",),
        )
    for parameter in parameters:
        if parameter is not None and parameter.shape != wanted:
            raise fail(
                "shape-mismatch",
                f"weight and bias of {name} have shape {shape_text(wanted)}, "
                f"not {shape_text(parameter.shape)}",
            )
    return tuple(range(-len(wanted), 0))


@operation(
    argument_order=("x", "normalized_shape", "weight", "bias", "eps"),
    library_defaults={"jax": {"eps": 1e-6}},
    convention="layer_norm: eps={eps} (PyTorch; Flax uses 1e-06)",
    samples=(
        sample((2, 3)),
        sample((2, 3), (3,), (3,), normalized_shape=3),
        sample((2, 2, 3), (2, 3), normalized_shape=(2, 3), eps=0.1),
        sample([[1.0, 1.0, 1.0], [0.0, 1.0, 5.0]], eps=0.1),
        sample((0, 3), normalized_shape=(3,)),
    ),
    refuses=(
        Refusal(sample((2, 3), normalized_shape=2), "shape-mismatch"),
        Refusal(sample((), normalized_shape=()), "shape-mismatch"),
        Refusal(sample((2, 3), (2,), normalized_shape=3), "shape-mismatch"),
        Refusal(sample((2, 3), normalized_shape="all"), "keyword-value"),
        Refusal(sample((2, 3), eps="small"), "keyword-value"),
    ),
    analytic=True,
)
def layer_norm(x, weight=None, bias=None, *, normalized_shape=None, eps=1e-5):
    """x less its mean over the last axes, divided by its spread there, then scaled and shifted.

    Shapes:  x [..., *normalized_shape], weight and bias [*normalized_shape] -> [...]; without
             a normalized_shape over the last axis
    Kinks:   none: eps keeps the spread of equal entries above 0
    Source:  Ba et al., "Layer Normalization" (2016); (x - mean)/sqrt(var + eps), var with ddof 0
    Example: vjp explain "F.layer_norm(x, (3,), w, b)" x=[[1,2,4]] w=1,1,2 b=0,0,1 --seed ones
    """
    axes = _last_axes("layer_norm", x, normalized_shape, weight, bias)
    return _scaled(_standardised(x, axes, plain_number("eps", eps)), weight, bias)


@operation(
    argument_order=("x", "normalized_shape", "weight", "eps"),
    library_defaults={"jax": {"eps": 1e-6}},
    convention="rms_norm: eps={eps} (PyTorch: the spacing of float64 at 1; Flax uses 1e-06)",
    samples=(
        sample((2, 3)),
        sample((2, 3), (3,), normalized_shape=3, eps=0.1),
        sample((2, 2, 3), normalized_shape=(2, 3)),
    ),
    refuses=(
        Refusal(sample((2, 3), normalized_shape=2), "shape-mismatch"),
        Refusal(sample((2, 3), (2,), normalized_shape=3), "shape-mismatch"),
        Refusal(sample((2, 3), eps="small"), "keyword-value"),
    ),
    analytic=True,
)
def rms_norm(x, weight=None, *, normalized_shape=None, eps=2**-52):
    """x divided by its root mean square over the last axes, then scaled.

    Shapes:  x [..., *normalized_shape], weight [*normalized_shape] -> [...]; without a
             normalized_shape over the last axis
    Kinks:   none: eps keeps the root mean square above 0
    Source:  Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019)
    Example: vjp explain "rms_norm(x)" x=3,4 --seed 1,0
    """
    eps = 2**-52 if eps is None else plain_number("eps", eps)
    axes = _last_axes("rms_norm", x, normalized_shape, weight)
    size = elementary.sqrt(reduction.mean(x * x, axis=axes, keepdims=True) + eps)
    return _scaled(x / size, weight, None)


def _per_channel(name, x, parameter):
    """One number per channel, shaped to broadcast along axis 1 of x [N, C, ...]."""
    if parameter is None:
        return None
    if parameter.shape != (x.shape[1],):
        raise fail(
            "shape-mismatch",
            f"{name} needs one number for each of {x.shape[1]} channels, "
            f"not shape {shape_text(parameter.shape)}",
        )
    return shape.reshape(parameter, shape=(x.shape[1], *(1,) * (x.ndim - 2)))


def _require_channels(name, x):
    if x.ndim < 2:
        raise fail(
            "shape-mismatch",
            f"{name} takes an input [N, C, ...] with channels along axis 1, "
            f"not shape {shape_text(x.shape)}",
        )


def _by_channel(name, x, running, weight, bias, axes, eps):
    """Normalised by the batch itself, or by running statistics where they are given."""
    eps = plain_number("eps", eps)
    if running is None:
        y = _standardised(x, axes, eps)
    else:
        mean, variance = (_per_channel(name, x, one) for one in running)
        y = (x - mean) / elementary.sqrt(variance + eps)
    return _scaled(y, _per_channel(name, x, weight), _per_channel(name, x, bias))


def _running(name, running_mean, running_var):
    if (running_mean is None) != (running_var is None):
        raise fail("missing-argument", f"{name} needs running_mean and running_var, or neither")
    return None if running_mean is None else (running_mean, running_var)


BY_CHANNEL = ("x", "running_mean", "running_var", "weight", "bias")


@operation(
    argument_order=(*BY_CHANNEL, "training", "momentum", "eps"),
    domain=(real, real, positive, real, real),
    samples=(
        sample((4, 3)),
        sample((2, 3, 2), None, None, (3,), (3,), training=True),
        sample((2, 3), (3,), (3,), (3,), (3,)),
        sample((3, 2, 2), (2,), (2,), eps=0.1),
        sample((3, 2), (2,), (2,), training=True),
    ),
    refuses=(
        Refusal(sample((3,)), "shape-mismatch"),
        Refusal(sample((2, 3), (3,)), "missing-argument"),
        Refusal(sample((2, 3), None, None, (2,)), "shape-mismatch"),
        Refusal(sample((2, 3), training="yes"), "keyword-value"),
        Refusal(sample((1, 3), training=True), "one-value-per-channel"),
    ),
    analytic=True,
    convention="batch_norm: eps={eps}, variance with ddof=0 (PyTorch)",
    convention_about=("eps",),
)
def batch_norm(
    x,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    *,
    training=False,
    momentum=0.1,
    eps=1e-5,
):
    """Each channel less its mean, divided by its spread, over the whole batch.

    With training=True, or without running statistics, mean and spread are those of x itself;
    else the running ones are taken. Running statistics are not updated.

    Shapes:  x [N, C, ...], the others [C] -> [N, C, ...]
    Kinks:   none
    Source:  Ioffe and Szegedy, "Batch Normalization" (2015); var with ddof 0, eps as PyTorch
    Example: vjp explain "F.batch_norm(x, None, None, training=True)" x=[[1],[2],[4]] --seed ones
    """
    plain_number("momentum", momentum)
    _require_channels("batch_norm", x)
    running = _running("batch_norm", running_mean, running_var)
    if true_or_false("training", training):
        running = None
    if running is None and x.size == x.shape[1]:
        raise fail(
            "one-value-per-channel",
            "batch_norm needs more than one value per channel to have a spread",
            notes=(f"x has shape {shape_text(x.shape)}",),
        )
    axes = (0, *range(2, x.ndim))
    return _by_channel("batch_norm", x, running, weight, bias, axes, eps)


@operation(
    argument_order=(*BY_CHANNEL, "use_input_stats", "momentum", "eps"),
    domain=(real, real, positive, real, real),
    samples=(
        sample((2, 3, 4)),
        sample((2, 2, 2, 2), None, None, (2,), (2,)),
        sample((2, 3, 2), (3,), (3,), use_input_stats=False),
    ),
    refuses=(
        Refusal(sample((2, 3)), "shape-mismatch"),
        Refusal(sample((2, 3, 2), use_input_stats=False), "missing-argument"),
    ),
    analytic=True,
)
def instance_norm(
    x,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    *,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    """Each channel of each example less its mean, divided by its spread.

    Shapes:  x [N, C, ...] with at least one axis after C, the others [C] -> [N, C, ...]
    Kinks:   none
    Source:  Ulyanov et al., "Instance Normalization" (2016); var with ddof 0, eps as PyTorch
    Example: vjp explain "instance_norm(x)" x=[[[1,2,4]]] --seed [[[1,0,0]]]
    """
    plain_number("momentum", momentum)
    if x.ndim < 3:
        raise fail(
            "shape-mismatch", f"instance_norm takes [N, C, L, ...], not {shape_text(x.shape)}"
        )
    running = _running("instance_norm", running_mean, running_var)
    if true_or_false("use_input_stats", use_input_stats):
        running = None
    elif running is None:
        raise fail("missing-argument", "instance_norm needs `running_mean` and `running_var`")
    return _by_channel("instance_norm", x, running, weight, bias, tuple(range(2, x.ndim)), eps)


@operation(
    argument_order=("x", "num_groups", "weight", "bias", "eps"),
    samples=(
        sample((2, 4), num_groups=2),
        sample((2, 4, 3), (4,), (4,), num_groups=2),
        sample((1, 3, 2, 2), num_groups=3, eps=0.1),
        sample((2, 3, 2), num_groups=1),
    ),
    refuses=(
        Refusal(sample((4,), num_groups=2), "shape-mismatch"),
        Refusal(sample((2, 4), num_groups=3), "keyword-value"),
        Refusal(sample((2, 4), num_groups=0), "keyword-value"),
        Refusal(sample((2, 4), (2,), num_groups=2), "shape-mismatch"),
    ),
    analytic=True,
    convention="group_norm: eps={eps} (PyTorch; Flax uses 1e-06)",
    convention_about=("eps",),
)
def group_norm(x, weight=None, bias=None, *, num_groups, eps=1e-5):
    """Groups of channels of each example less their mean, divided by their spread.

    Shapes:  x [N, C, ...], weight and bias [C] -> [N, C, ...]
    Kinks:   none
    Source:  Wu and He, "Group Normalization" (2018); var with ddof 0, eps as PyTorch
    Example: vjp explain "group_norm(x, 2)" x=[[1,2,3,5]] --seed [[1,0,0,0]]
    """
    _require_channels("group_norm", x)
    groups = whole_number("num_groups", num_groups, least=1)
    examples, channels = x.shape[:2]
    if channels % groups:
        raise fail("keyword-value", f"{channels} channels do not fall into {groups} equal groups")
    each = x.size // (examples * groups) if x.size else 0
    grouped = shape.reshape(x, shape=(examples, groups, each))
    y = shape.reshape(_standardised(grouped, (-1,), plain_number("eps", eps)), shape=x.shape)
    weight, bias = (_per_channel("group_norm", x, one) for one in (weight, bias))
    return _scaled(y, weight, bias)


@operation(
    samples=(
        sample((2, 4, 3), size=2),
        sample((1, 3, 2), size=5, alpha=0.5, beta=0.5, k=2),
        sample((2, 4, 2, 2), size=3, alpha=1),
    ),
    refuses=(
        Refusal(sample((2, 3), size=2), "shape-mismatch"),
        Refusal(sample((2, 3, 2), size=0), "keyword-value"),
        Refusal(sample((2, 3, 2), size=2, alpha="a"), "keyword-value"),
    ),
    analytic=True,
)
def local_response_norm(x, *, size, alpha=1e-4, beta=0.75, k=1):
    """x divided by a power of the mean square of the neighbouring channels.

    Shapes:  x [N, C, ...] with at least one axis after C -> [N, C, ...]
    Kinks:   none
    Source:  Krizhevsky et al., "ImageNet Classification" (2012); channels outside count as 0
    Example: vjp explain "local_response_norm(x, 2, 1)" x=[[[1],[2],[3]]] --seed ones
    """
    if x.ndim < 3:
        raise fail(
            "shape-mismatch", f"local_response_norm takes [N, C, L, ...], not {shape_text(x.shape)}"
        )
    size = whole_number("size", size, least=1)
    alpha, beta, k = plain_number("alpha", alpha), plain_number("beta", beta), plain_number("k", k)
    squares = shape.reshape(x * x, shape=(x.shape[0], x.shape[1], -1))
    squares = padded(squares, (size // 2, 0), ((size - 1) // 2, 0))
    near = kernel_windows(squares, size=(size, 1))
    means = shape.reshape(reduction.mean(near, axis=(-2, -1)), shape=x.shape)
    return x / (k + alpha * means) ** beta
