"""Modules of torch.nn: `nn.LeakyReLU(0.1)(x)` is `leaky_relu(x, 0.1)`.

A class is found by a rule: its name in any spelling of underscores, without its number of axes
or the word Loss, is a function's. What is kept here is only where PyTorch departs from that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vjpcli.errors import Fix, Source, Span, VjpError, fail
from vjpcli.graph.names import Callee, find_callee
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS, make_constant
from vjpcli.record import record

_CLASS_NAMES = """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss
    AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d
    AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU
    CTCLoss ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d
    ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss Dropout Dropout1d
    Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold GELU GLU
    GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh
    HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d
    KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d
    LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
    LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d
    LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LocalResponseNorm
    LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d
    MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish MultiLabelMarginLoss MultiLabelSoftMarginLoss
    MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance PixelShuffle
    PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6
    ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
    ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax
    Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold
    Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
    TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold
    Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d
"""
CLASSES = frozenset(_CLASS_NAMES.split())
"""The classes of torch.nn that compute something."""

_FUNCTIONS = {
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "UpsamplingNearest2d": "interpolate",
    "UpsamplingBilinear2d": "interpolate",
}
"""Classes whose function has another name."""

_PADS = {
    "Zero": "constant",
    "Constant": "constant",
    "Reflection": "reflect",
    "Replication": "replicate",
    "Circular": "circular",
}
_PAD = re.compile(r"(Zero|Constant|Reflection|Replication|Circular)Pad([123])d")

_SETTINGS: dict[str, dict[str, Any]] = {
    "Flatten": {"start_dim": 1},
    "Softmax2d": {"dim": -3},
    "UpsamplingNearest2d": {"mode": "nearest"},
    "UpsamplingBilinear2d": {"mode": "bilinear", "align_corners": True},
    "BatchNorm": {"training": True},
    "RReLU": {"training": True},
}
"""Arguments of the function that the class gives: class, with or without its axes -> them."""

_REDUCED = "size_average reduce reduction"
_ORDERS = {
    "CrossEntropyLoss": "weight size_average ignore_index reduce reduction label_smoothing",
    "NLLLoss": "weight size_average ignore_index reduce reduction",
    "BCELoss": f"weight {_REDUCED}",
    "BCEWithLogitsLoss": f"weight {_REDUCED} pos_weight",
    "MultiLabelSoftMarginLoss": f"weight {_REDUCED}",
    "MultiMarginLoss": f"p margin weight {_REDUCED}",
    "PoissonNLLLoss": "log_input full size_average eps reduce reduction",
    "CTCLoss": "blank reduction zero_infinity",
    "MultiLabelMarginLoss": _REDUCED,
    "MaxUnpool": "kernel_size stride padding",
    "MaxPool": "kernel_size stride padding dilation return_indices ceil_mode",
    "BatchNorm": "num_features eps momentum affine track_running_stats",
    "InstanceNorm": "num_features eps momentum affine track_running_stats",
    "GroupNorm": "num_groups num_channels eps affine",
    "LayerNorm": "normalized_shape eps elementwise_affine bias",
    "RMSNorm": "normalized_shape eps elementwise_affine",
    "PReLU": "num_parameters init",
    "Unflatten": "dim unflattened_size",
    "ReLU": "inplace",
}
"""Orders of a constructor's arguments that are not those of the function's static ones."""

_RESPELT = {"init": "weight", "unflattened_size": "sizes"}
_WITHOUT_EFFECT = {
    "num_features", "num_channels", "num_parameters", "affine", "elementwise_affine", "bias",
    "track_running_stats", "inplace", "device", "dtype", "momentum",
}  # fmt: skip
"""Arguments that change nothing: a new layer's weights are 1 and its biases 0."""
_WITHOUT_EFFECT_IF_OFF = {"return_indices", "size_average", "reduce"}

_WITH_WEIGHTS = {
    "Linear": "linear(x, W, b)",
    "Bilinear": "bilinear(x1, x2, W, b)",
    "Conv": "{}(x, W, b)",
    "ConvTranspose": "{}(x, W, b)",
    "Embedding": "embedding(i, W)",
    "EmbeddingBag": "embedding_bag(i, W)",
    "RNN": "h = tanh(x @ W.T + h @ U.T + b), one statement for each step",
    "LSTM": "one statement for each gate and step: f = sigmoid(x @ W.T + h @ U.T + b)",
    "GRU": "one statement for each gate and step: r = sigmoid(x @ W.T + h @ U.T + b)",
    "MultiheadAttention": "scaled_dot_product_attention(x @ Q, x @ K, x @ V)",
    "Transformer": "scaled_dot_product_attention(x @ Q, x @ K, x @ V)",
    "AdaptiveLogSoftmaxWithLoss": "cross_entropy(x @ W.T, target)",
    "LinearCrossEntropyLoss": "cross_entropy(x @ W.T, target)",
}
"""Classes whose weights are drawn at random -> the same with weights that have names."""

KEEPING_METHODS = {"to", "cpu", "cuda", "float", "double", "train", "requires_grad_", "half"}
"""Methods of a module that change where it is kept, or make it what it is already."""


@record
class ModuleClass:
    """`nn.ReLU`: a class of torch.nn, about to be constructed.

    Attributes:
        name: of the class.
        functions: what it stands for; None for a sequence of other modules.
    """

    name: str
    callee: Callee | None


@record
class Step:
    """One function of a module.

    Attributes:
        callee: the function.
        keywords: what was given when the module was constructed.
        has_new_statistics: a norm's running mean is 0 and its running variance 1.
    """

    callee: Callee
    keywords: tuple[tuple[str, Any, Span], ...] = ()
    has_new_statistics: bool = False


@record
class Module:
    """`nn.LeakyReLU(0.1)`: functions that are applied one after another; none for an identity."""

    steps: tuple[Step, ...]

    def evaluated(self) -> Module:
        """The module after `.eval()`: nothing is left to chance, and norms use no statistics."""
        return Module(tuple(_evaluated(step) for step in self.steps))


@record
class Giving:
    """A method that gives one value whatever it is called with: `module.train()`."""

    value: Any


def module_class(name: str) -> ModuleClass | None:
    """The class of torch.nn that is called `name`, or None."""
    if name not in CLASSES:
        return None
    if name in ("Sequential", "Identity") or _kind(name) in _WITH_WEIGHTS:
        return ModuleClass(name, None)
    pad = _PAD.fullmatch(name)
    if pad:
        return ModuleClass(name, _function("pad"))
    wanted = re.sub("^(Lazy|Sync)", "", _FUNCTIONS.get(name, name)).replace("_", "").lower()
    plain = re.sub("[123]d$", "", wanted)
    spellings = (
        OPERATIONS.index.functions.get("torch") or OPERATIONS.full_index().functions["torch"]
    )
    by_letters = {spelling.replace("_", ""): spelling for spelling in spellings}
    for word in (wanted, plain, plain.removesuffix("loss")):
        if word in by_letters:
            return ModuleClass(name, _function(by_letters[word]))
    return None


def _function(name: str) -> Callee | None:
    return find_callee(f"functional.{name}", "torch", prefixed=True) or find_callee(
        name, "torch", prefixed=True
    )


def _kind(name: str) -> str:
    """The name of a class without what says on which axes, how lazily or how often it works."""
    return re.sub(r"^(Lazy|Sync)|[123]d$|(Cell)?(Base)?$|(En|De)coder(Layer)?$", "", name)


def constructed(
    module: ModuleClass,
    arguments: Sequence[Any],
    keywords: Sequence[tuple[str, Any, Span]],
    source: Source,
    span: Span,
) -> Module:
    """The module that the constructor makes.

    Errors: random-parameters, module-not-applied, too-many-arguments, missing-argument,
    not-a-module.
    """
    kind = _kind(module.name)
    if module.name == "Sequential":
        odd = next((one for one in arguments if not isinstance(one, Module)), None)
        if odd is not None or keywords:
            raise fail(
                "not-a-module",
                "nn.Sequential is made of modules, such as nn.ReLU()",
                notes=("a function is applied by a statement of its own: h = f(x)",),
            )
        return Module(tuple(step for one in arguments for step in one.steps))
    if module.name == "Identity":
        return Module(())
    if kind in _WITH_WEIGHTS:
        raise _random_parameters(module.name, source, span)
    assert module.callee is not None
    assert module.callee.operation is not None
    operation = module.callee.operation
    order = constructor_order(module)
    if len(arguments) > len(order):
        if any(isinstance(one, Node) for one in arguments):
            raise _not_applied(module.name, source, span)
        taken = (
            f"at most {len(order)} argument{'s' * (len(order) != 1)}" if order else "no arguments"
        )
        raise fail("too-many-arguments", f"nn.{module.name} takes {taken}")
    for name, value in zip(order, arguments, strict=False):
        if isinstance(value, Node) and name not in operation.operand_names:
            raise _not_applied(module.name, source, span)
    given = [(name, value, span) for name, value in zip(order, arguments, strict=False)]
    settings = _SETTINGS.get(module.name) or _SETTINGS.get(kind) or {}
    named = {name: (name, value, at) for name, value, at in (*given, *keywords)}
    named |= {n: (n, v, span) for n, v in settings.items() if n not in named}
    if module.name == "PReLU":
        named.setdefault("init", ("init", 0.25, span))
    if pad := _PAD.fullmatch(module.name):
        named = _padding(pad, named, span)
    kept = tuple(
        (_RESPELT.get(name, name), value, at)
        for name, value, at in named.values()
        if name not in _WITHOUT_EFFECT and (value or name not in _WITHOUT_EFFECT_IF_OFF)
    )
    return Module((Step(module.callee, kept),))


def constructor_order(module: ModuleClass) -> list[str]:
    """The positional arguments of a class, as its constructor or its function calls them."""
    if _PAD.fullmatch(module.name):
        return ["padding", "value"]
    own = _ORDERS.get(module.name) or _ORDERS.get(_kind(module.name))
    assert module.callee is not None
    assert module.callee.operation is not None
    if own and module.name.startswith("Lazy"):  # it counts the channels by itself
        return own.split()[1:]
    return own.split() if own else list(module.callee.operation.static_defaults)


def _padding(
    pad: re.Match[str], named: Mapping[str, tuple[str, Any, Span]], span: Span
) -> dict[str, tuple[str, Any, Span]]:
    """The arguments of `pad` for a class of padding."""
    kind, axes = pad.group(1), int(pad.group(2))
    if "padding" not in named:
        raise fail("missing-argument", f"nn.{pad.group()} needs `padding`")
    _, widths, at = named["padding"]
    if isinstance(widths, int):
        widths = (widths,) * (2 * axes)
    found = {"pad": ("pad", widths, at), "mode": ("mode", _PADS[kind], span)}
    if kind == "Constant" and "value" in named:
        found["value"] = named["value"]
    return found


def _evaluated(step: Step) -> Step:
    operation = step.callee.operation
    if operation is None or "training" not in operation.static_defaults:
        return step
    kept = tuple(one for one in step.keywords if one[0] != "training")
    is_norm = "running_mean" in operation.operand_names
    return Step(step.callee, (*kept, ("training", False, Span(0, 0))), is_norm)


def keywords_of(step: Step, x: Any) -> list[tuple[str, Any, Span]]:
    """The keywords with which the step's function is called on x."""
    keywords = list(step.keywords)
    if step.has_new_statistics and isinstance(x, Node) and x.ndim > 1:
        for name, start in (("running_mean", np.zeros), ("running_var", np.ones)):
            keywords.append((name, make_constant(start(x.shape[1])), Span(0, 0)))
    return keywords


def _not_applied(name: str, source: Source, span: Span) -> VjpError:
    text = source.text
    opening = text.index("(", span.start)
    return fail(
        "module-not-applied",
        f"nn.{name} is a class: its module is constructed first, and then applied",
        notes=(f"nn.{name}(...)(x); as a function it has a name of its own, such as relu(x)",),
        fix=Fix(text[:opening] + "()" + text[opening:], replaces=text),
    )


def _random_parameters(name: str, source: Source, span: Span) -> VjpError:
    kind = _kind(name)
    form = _WITH_WEIGHTS[kind].format(_snake(name.removeprefix("Lazy")))
    return fail(
        "random-parameters",
        f"a new nn.{name} has random weights, and no gradient to them could be told",
        notes=(f"with weights of your own it is {form}",),
        fix=_with_weights(source, span, form),
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _with_weights(source: Source, span: Span, form: str) -> Fix | None:
    """`nn.Linear(3, 2)(x)` with the weights written out, where it is applied at once."""
    text = source.text
    if text[span.end : span.end + 1] != "(" or "," not in form or "=" in form:
        return None
    depth = 0
    for end in range(span.end, len(text)):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        if depth == 0:
            inside = text[span.end + 1 : end]
            function, weights = form.partition("(")[0], form.partition(", ")[2]
            written = f"{function}({inside}, {weights}"
            return Fix(
                text[: span.start] + written + text[end + 1 :],
                replaces=text,
                says="with weights W and a bias b of your own",
            )
    return None
