"""The catalogue: no name that people write in a loss, a layer or an exercise is unknown.

The lists are those of the issues that ask for the operations. A name is looked up the way a
program's is: bare, with the prefix of a library, or as a method.
"""

from __future__ import annotations

import pytest

import vjpcli.ops
from vjpcli import explain
from vjpcli.errors import Source, Span, VjpError
from vjpcli.explanation.pages.lookup import looked_up
from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import (
    CONSTANTS,
    IDENTITY_METHODS,
    LIBRARY_ROOTS,
    SIZE_METHODS,
    Callee,
    find_callee,
)
from vjpcli.graph.operation import OPERATIONS, Operation, make_leaf

BARE = {
    "arithmetic": """
        neg negative abs absolute sign reciprocal square float_power power pow remainder
        floor_divide add subtract sub multiply mul divide div true_divide
    """,
    "elementary": """
        exp expm1 exp2 log log2 log10 log1p sqrt rsqrt cbrt sin cos tan arcsin arccos arctan
        arctan2 asin acos atan atan2 sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh
        hypot sinc erf erfc erfinv lgamma gammaln digamma i0 logit deg2rad rad2deg radians degrees
        logaddexp logaddexp2 xlogy xlog1py copysign fmod lerp addcmul addcdiv nan_to_num heaviside
        floor ceil round trunc frac detach stop_gradient
    """,
    "comparison and choice": """
        equal not_equal less less_equal greater greater_equal eq ne lt le gt ge
        logical_and logical_or logical_not logical_xor where maximum minimum clip clamp isnan
        isfinite isinf
    """,
    "reduction": """
        sum mean prod max min amax amin var std norm logsumexp median quantile nansum nanmean
        count_nonzero argmax argmin any all
    """,
    "scan and order": """
        cumsum cumprod cummax cummin logcumsumexp sort argsort topk kthvalue diff trapezoid trapz
        cov corrcoef
    """,
    "shape": """
        reshape view flatten ravel squeeze unsqueeze expand_dims transpose permute swapaxes
        swapdims broadcast_to expand repeat tile concatenate concat cat stack hstack vstack flip
        roll split chunk unbind moveaxis movedim rot90 meshgrid unfold kron
    """,
    "indexing": """
        take take_along_axis take_along_dim gather scatter scatter_add index_add index_select
        masked_fill masked_select pad tril triu diagonal diag_embed diag
        sliding_window_view
    """,
    "builders": """
        zeros ones full eye arange linspace logspace randn rand zeros_like ones_like full_like
        rand_like randn_like array tensor one_hot
    """,
    "linear algebra": """
        matmul mm mv bmm dot inner outer vdot trace einsum tensordot cross vecdot baddbmm addmm
        linear det slogdet logdet inv pinv solve lstsq cholesky qr svd svdvals eigh eigvalsh
        matrix_power matrix_exp vector_norm matrix_norm
    """,
    "activations": """
        relu sigmoid softplus gelu silu swish softmax log_softmax softmin logsigmoid hardsigmoid
        hardswish hardtanh relu6 leaky_relu elu celu selu mish softsign tanhshrink threshold prelu
    """,
    "complex values": """
        real imag conj conjugate angle complex polar view_as_real view_as_complex adjoint fft ifft
        rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn fftshift ifftshift fftfreq rfftfreq stft istft
        hann_window hamming_window blackman_window unwrap
    """,
    "losses": """
        cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss
        l1_loss smooth_l1_loss huber_loss kl_div hinge_embedding_loss cosine_similarity
        triplet_margin_loss
    """,
    "layers": """
        layer_norm rms_norm batch_norm group_norm conv1d conv2d max_pool1d max_pool2d avg_pool1d
        avg_pool2d embedding scaled_dot_product_attention dropout
    """,
}

PREFIXED = {
    "torch": """
        abs absolute acos add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax any
        arange argmax argmin argsort asin asinh atan atan2 atanh baddbmm bmm broadcast_to cat cdist
        ceil celu chunk clamp clip column_stack concat copysign corrcoef cos cosh count_nonzero
        cov cross cummax cummin cumprod cumsum deg2rad det diag diag_embed diagonal diff
        digamma dist div dot dsplit dstack einsum eq erf erfc erfinv exp exp2 expm1 eye flatten
        flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac full full_like gather
        ge gt hstack hypot i0 index_add index_select inner inverse isclose isfinite isinf isnan
        kron kthvalue ldexp le lerp lgamma linspace log log10 log1p log2 log_softmax logaddexp
        logaddexp2 logcumsumexp logdet logit logsumexp lt masked_fill matmul matrix_exp
        matrix_power max maximum mean median meshgrid min minimum mm mode moveaxis mul mv
        nan_to_num nanmean nanmedian nanquantile nansum narrow ne neg norm ones ones_like outer
        permute pinverse polygamma pow prod quantile rad2deg rand randn ravel reciprocal relu
        remainder repeat_interleave reshape roll rot90 round rsqrt scatter scatter_add selu
        sgn sigmoid sign sin sinc sinh slogdet softmax sort split sqrt square squeeze stack
        std std_mean sub sum svd swapaxes t take take_along_dim tan tanh tensor tensordot tile
        topk trace transpose trapezoid triangular_solve tril triu trunc unbind unflatten unsqueeze
        var var_mean vdot vsplit vstack where xlogy zeros zeros_like
    """,
    "torch.linalg": """
        cholesky cond cross det diagonal eigh eigvalsh inv lstsq matmul matrix_exp matrix_norm
        matrix_power multi_dot norm pinv qr slogdet solve solve_triangular svd svdvals vander
        vecdot vector_norm
    """,
    "torch.special": """
        digamma entr erf erfc erfinv exp2 expit expm1 gammaln i0 i0e i1 i1e log1p log_softmax
        logit logsumexp ndtr polygamma psi round sinc softmax xlog1py xlogy
    """,
    "F": """
        adaptive_avg_pool2d avg_pool1d avg_pool2d batch_norm bilinear binary_cross_entropy
        binary_cross_entropy_with_logits celu conv1d conv2d conv3d conv_transpose1d
        conv_transpose2d cosine_embedding_loss cosine_similarity cross_entropy dropout elu
        embedding gaussian_nll_loss gelu glu group_norm hardshrink hardsigmoid hardswish hardtanh
        hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss layer_norm
        leaky_relu linear local_response_norm log_softmax logsigmoid margin_ranking_loss
        max_pool1d max_pool2d mish mse_loss multi_margin_loss multilabel_soft_margin_loss nll_loss
        normalize one_hot pad pairwise_distance pixel_shuffle poisson_nll_loss prelu relu relu6
        rms_norm rrelu scaled_dot_product_attention selu sigmoid silu smooth_l1_loss
        soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink threshold
        triplet_margin_loss unfold
    """,
    "np": """
        abs absolute add amax amin append arange arccos arccosh arcsin arcsinh arctan arctan2
        arctanh argmax argmin argsort around array average broadcast_to cbrt ceil clip
        column_stack concatenate convolve copysign corrcoef cos cosh count_nonzero cov cross
        cumprod cumsum deg2rad degrees diag diagonal diff divide dot einsum exp exp2 expand_dims
        expm1 eye fabs flip float_power floor floor_divide fmax fmin fmod full hstack hypot i0
        inner isclose isfinite isinf isnan kron ldexp linspace log log10 log1p log2 logaddexp
        logaddexp2 matmul maximum max mean median meshgrid minimum min mod moveaxis multiply
        nan_to_num nanmax nanmean nanmin nanstd nansum nanvar negative ones ones_like outer pad
        percentile power prod ptp quantile rad2deg radians ravel reciprocal remainder repeat
        reshape roll rot90 round sign sin sinc sinh sort sqrt square squeeze stack std subtract sum
        swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid tril triu
        true_divide trunc var vdot vstack where zeros zeros_like
    """,
    "np.linalg": """
        cholesky cond det eigh eigvalsh inv lstsq matrix_power multi_dot norm pinv qr slogdet
        solve svd
    """,
    "jnp": """
        abs arccos arcsin arctan arctan2 clip concatenate cos cosh cross cumprod cumsum diag dot
        einsum exp expand_dims expm1 eye hypot inner kron linspace log log1p logaddexp matmul max
        maximum mean median min minimum ones outer pad power prod quantile reshape round sign sin
        sinc sinh sort sqrt square squeeze stack std sum take tan tanh tensordot trace transpose
        tril triu var vdot where zeros
    """,
    "torch.fft": """
        fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2
        ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "np.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn
        rfft rfft2 rfftfreq rfftn
    """,
    "jnp.fft": "fft fft2 fftfreq fftn fftshift ifft ifft2 ifftn irfft rfft rfft2 rfftfreq rfftn",
    "scipy.fft": "dct dst fft fft2 fftfreq fftn fftshift idct idst ifft irfft rfft rfftfreq",
    "jnp.linalg": "cholesky det eigh eigvalsh inv lstsq norm pinv qr slogdet solve svd",
    "jax.nn": """
        celu elu gelu glu hard_sigmoid hard_swish hard_tanh leaky_relu log_sigmoid log_softmax
        logsumexp mish one_hot relu relu6 selu sigmoid silu soft_sign softmax softplus
        squareplus standardize swish
    """,
    "jax.lax": "stop_gradient rsqrt erf logistic cumsum",
}

METHODS = """
    abs acos add addmm all amax amin any argmax argmin argsort asin atan bmm ceil chunk clamp clip
    clone contiguous copy cos cosh cpu cross cummax cumprod cumsum det detach diag diagonal diff
    div dot eq erf exp expand expand_as expm1 flatten flip float floor gather ge gt index_add
    index_select inverse item kron le lerp log log10 log1p log2 log_softmax logsumexp lt
    masked_fill matmul max maximum mean median min minimum mm mul mv nansum narrow neg norm
    numel outer permute pow prod ravel reciprocal relu repeat repeat_interleave reshape roll
    round rsqrt scatter scatter_add select sigmoid sign sin sinh size softmax sort split sqrt
    square squeeze std sub sum swapaxes t take tan tanh tile to topk trace transpose tril triu
    trunc type unbind unfold unsqueeze var view view_as where xlogy
"""

MISSING: dict[str, str] = {}
"""What the lists above name and the language does not have yet, each with the reason."""

REFUSED = {"dropout": "random-operation"}
"""Known, and refused with a reason that is told."""


def meaning(written: str) -> object:
    """What a bare or prefixed name means, None for nothing."""
    root, *path = written.split(".")
    if not path:
        return find_callee(root, "torch") or CONSTANTS.get(root)
    found: object = LibraryName(LIBRARY_ROOTS[root], root)
    for name in path:
        assert isinstance(found, LibraryName), written
        try:
            found = found.member(name, Source(name), Span(0, len(name)))
        except VjpError:
            return None
    return found


def test_every_bare_name_is_known():
    assert [name for names in BARE.values() for name in names.split() if not known(name)] == []


@pytest.mark.parametrize("prefix", PREFIXED)
def test_every_prefixed_name_is_known(prefix):
    names = [f"{prefix}.{name}" for name in PREFIXED[prefix].split()]
    assert [name for name in names if not known(name) and name not in MISSING] == []


def known(written: str) -> bool:
    found = meaning(written)
    return isinstance(found, Callee)


def test_every_method_is_known():
    x = make_leaf("x", (2, 2))
    unknown = [
        name
        for name in METHODS.split()
        if find_callee(name, "torch", receiver=x) is None
        and name not in IDENTITY_METHODS | SIZE_METHODS
    ]
    assert unknown == []


def test_what_is_missing_is_missing_indeed():
    """So that the list shrinks when an operation is added."""
    assert [name for name in MISSING if known(name)] == []


@pytest.mark.parametrize(("name", "code"), REFUSED.items())
def test_refusal_tells_its_reason(name, code):
    with pytest.raises(VjpError) as caught:
        explain(f"{name}(x)", {"x": [1.0, 2.0]})
    assert caught.value.diagnostic.code == code
    assert caught.value.diagnostic.notes or "random" in caught.value.diagnostic.message


def test_every_name_has_a_page():
    names = {name for found in BARE.values() for name in found.split()}
    names |= {f"{prefix}.{name}" for prefix, found in PREFIXED.items() for name in found.split()}
    for name in names - set(MISSING):
        assert isinstance(looked_up(name), Operation), name


def test_catalogue_counts():
    assert vjpcli.ops
    assert len(OPERATIONS) > 370
