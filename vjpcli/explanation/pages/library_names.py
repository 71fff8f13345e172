"""Which names exist in which library, as far as this program knows them.

Taken from the public names of PyTorch 2.13, NumPy 2, SciPy 1 and JAX 0.10; a test demands that
each of them means an operation here. An operation with no name in this table (and without an
operator) is a building block: a step that other operations are made of.
"""

from __future__ import annotations

_NAMES = {
    "torch": """
        Tensor abs absolute acos acosh adaptive_avg_pool1d add addbmm addcdiv addcmul addmm
        addmv addr adjoint all alpha_dropout amax amin aminmax any arange arccos arccosh
        arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere as_tensor
        asarray asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d avg_pool1d
        baddbmm batch_norm bilinear binary_cross_entropy_with_logits block_diag bmm
        broadcast_tensors broadcast_to cat cdist ceil celu chain_matmul cholesky
        cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min clip clone
        column_stack concat concatenate conv1d conv2d conv3d conv_transpose1d
        conv_transpose2d copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity
        count_nonzero cov cross cummax cummin cumprod cumsum cumulative_trapezoid deg2rad
        det detach diag diag_embed diagflat diagonal diff digamma dist div divide dot
        dropout dsplit dstack einsum embedding empty empty_like eq equal erf erfc erfinv exp
        exp2 expm1 eye feature_alpha_dropout feature_dropout fix flatten flip fliplr flipud
        float_power floor floor_divide fmax fmin fmod frac from_numpy full full_like gather
        ge ger greater greater_equal group_norm gt hardshrink heaviside hinge_embedding_loss
        hsplit hstack hypot i0 index_add index_copy index_fill index_select inner
        instance_norm inverse isclose isfinite isinf isnan isneginf isposinf kl_div kron
        kthvalue layer_norm ldexp le lerp less less_equal lgamma linspace log log10 log1p
        log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not
        logical_or logical_xor logit logspace logsumexp lt margin_ranking_loss masked_fill
        masked_select matmul matrix_exp matrix_power max max_pool1d max_pool2d maximum mean
        median min minimum mm mode moveaxis movedim msort mul multiply mv mvlgamma
        nan_to_num nanmean nanmedian nanquantile nansum narrow ne neg negative nonzero norm
        normal not_equal ones ones_like outer pairwise_distance pdist permute pinverse
        pixel_shuffle pixel_unshuffle poisson_nll_loss polygamma positive pow prelu prod put
        qr quantile rad2deg rand rand_like randint randn randn_like randperm ravel
        reciprocal relu remainder repeat_interleave reshape rms_norm roll rot90 round
        row_stack rrelu rsqrt scalar_tensor scatter scatter_add select selu sgn sigmoid sign
        signbit sin sinc sinh slogdet softmax sort split sqrt square squeeze stack std
        std_mean sub subtract sum svd swapaxes swapdims t take take_along_dim tan tanh
        tensor tensor_split tensordot threshold tile topk trace transpose trapezoid trapz
        triangular_solve tril triplet_margin_loss triu true_divide trunc unbind unflatten
        unsqueeze vander var var_mean vdot vsplit vstack where xlogy zeros zeros_like
        adaptive_max_pool1d allclose as_strided as_strided_scatter bincount bitwise_and
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bucketize
        cartesian_prod channel_shuffle combinations constant_pad_nd conv_tbc conv_transpose3d
        ctc_loss diagonal_scatter embedding_bag empty_permuted empty_strided fill frexp
        frobenius_norm gcd gradient gru_cell histc index_put index_reduce is_nonzero isin isreal
        lcm lstm_cell masked_scatter max_pool1d_with_indices max_pool3d narrow_copy nextafter
        norm_except_dim nuclear_norm range renorm rnn_relu_cell rnn_tanh_cell rsub
        scatter_reduce searchsorted segment_reduce select_scatter slice_scatter split_with_sizes
        fake_quantize_per_tensor_affine
    """,
    "torch.nn.functional": """
        Tensor adaptive_avg_pool1d adaptive_avg_pool2d alpha_dropout avg_pool1d avg_pool2d
        batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits celu
        conv1d conv2d conv3d conv_transpose1d conv_transpose2d cosine_embedding_loss
        cosine_similarity cross_entropy dropout dropout1d dropout2d dropout3d elu embedding
        feature_alpha_dropout gaussian_nll_loss gelu glu group_norm hardshrink hardsigmoid
        hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div
        l1_loss layer_norm leaky_relu linear local_response_norm log_softmax logsigmoid
        margin_ranking_loss max_pool1d max_pool2d mish mse_loss multi_margin_loss
        multilabel_soft_margin_loss nll_loss normalize one_hot pad pairwise_distance pdist
        pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 rms_norm rrelu
        scaled_dot_product_attention selu sigmoid silu smooth_l1_loss soft_margin_loss
        softmax softmin softplus softshrink softsign tanh tanhshrink threshold
        triplet_margin_loss unfold upsample
        adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
        affine_grid avg_pool3d channel_shuffle conv_tbc conv_transpose3d ctc_loss embedding_bag
        fold fractional_max_pool2d fractional_max_pool3d grid_sample gumbel_softmax
        linear_cross_entropy lp_pool1d lp_pool2d lp_pool3d max_pool1d_with_indices
        max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d
        max_unpool3d multi_head_attention_forward multilabel_margin_loss
        triplet_margin_with_distance_loss upsample_bilinear upsample_nearest
        adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
        adaptive_max_pool3d_with_indices
    """,
    "torch.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
        solve_triangular svd svdvals vander vecdot vector_norm
    """,
    "torch.special": """
        Tensor digamma entr erf erfc erfinv exp2 expit expm1 gammaln i0 i0e i1 i1e log1p
        log_softmax logit logsumexp multigammaln ndtr polygamma psi round sinc softmax
        xlog1py xlogy
    """,
    "torch.Tensor": """
        H T abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all
        amax amin aminmax any arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
        argmin argsort argwhere asin asinh atan atan2 atanh baddbmm bmm broadcast_to ceil
        cholesky cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min clip clone
        copysign corrcoef cos cosh count_nonzero cov cross cummax cummin cumprod cumsum
        deg2rad det detach diag diag_embed diagflat diagonal diff digamma dist div divide
        dot dsplit eig eq equal erf erfc erfinv exp exp2 expand expand_as expm1 fix flatten
        flip fliplr flipud float float_power floor floor_divide fmax fmin fmod frac gather
        ge ger greater greater_equal gt hardshrink heaviside hsplit hypot i0 index_add
        index_copy index_fill index_select inner inverse isclose isfinite isinf isnan
        isneginf isposinf kron kthvalue ldexp le lerp less less_equal lgamma log log10 log1p
        log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not
        logical_or logical_xor logit logsumexp lstsq lt mH mT masked_fill masked_select
        matmul matrix_exp matrix_power max maximum mean median min minimum mm mode moveaxis
        movedim msort mul multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile
        nansum narrow ne neg negative nonzero norm not_equal outer permute pinverse
        polygamma positive pow prelu prod put qr quantile rad2deg ravel reciprocal relu
        remainder repeat repeat_interleave reshape reshape_as roll rot90 round rsqrt scatter
        scatter_add select sgn sigmoid sign signbit sin sinc sinh slogdet softmax solve sort
        split sqrt square squeeze std sub subtract sum svd swapaxes swapdims t take
        take_along_dim tan tanh tensor_split tile topk trace transpose triangular_solve tril
        triu true_divide trunc unbind unflatten unfold unsqueeze var vdot view view_as
        vsplit where xlogy
        allclose as_strided as_strided_scatter bincount bitwise_and bitwise_left_shift
        bitwise_not bitwise_or bitwise_right_shift bitwise_xor diagonal_scatter frexp gcd histc
        index_put index_reduce is_nonzero isreal lcm masked_scatter narrow_copy new_empty
        new_full new_ones new_tensor new_zeros nextafter renorm scatter_reduce select_scatter
        slice_scatter split_with_sizes sum_to_size
    """,
    "numpy": """
        abs absolute acos acosh add all amax amin any append arange arccos arccosh arcsin
        arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere around array
        array_split asanyarray asarray ascontiguousarray asin asinh atan atan2 atanh
        atleast_1d atleast_2d atleast_3d average broadcast_arrays broadcast_to cbrt ceil
        clip column_stack concat concatenate convolve copysign corrcoef cos cosh count_nonzero cov
        cross cumprod cumsum deg2rad degrees diag diagflat diagonal diff divide dot dsplit
        dstack einsum empty empty_like equal exp exp2 expand_dims expm1 eye fabs fix flip
        fliplr flipud float_power floor floor_divide fmax fmin fmod full full_like geomspace
        greater greater_equal heaviside hsplit hstack hypot i0 identity inner isclose
        isfinite isinf isnan isneginf isposinf kron ldexp less less_equal linspace log log10
        log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
        logspace matmul matrix_transpose max maximum mean median meshgrid min minimum mod
        moveaxis multiply nan_to_num nanmax nanmean nanmedian nanmin nanpercentile
        nanquantile nanstd nansum nanvar negative nonzero not_equal ones ones_like outer pad
        percentile permute_dims positive pow power prod ptp put quantile rad2deg radians
        ravel reciprocal remainder repeat reshape rint roll rot90 round row_stack select
        sign signbit sin sinc sinh sort split sqrt square squeeze stack std subtract sum
        swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri
        tril triu true_divide trunc unstack vander var vdot vecdot vsplit vstack where zeros
        zeros_like
        allclose array_equal bincount bitwise_and bitwise_invert bitwise_left_shift bitwise_not
        bitwise_or bitwise_right_shift bitwise_xor correlate digitize divmod frexp gcd gradient
        interp invert isin isreal lcm left_shift modf nancumsum nanprod nextafter polyval
        right_shift searchsorted
    """,
    "numpy.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr
        slogdet solve svd svdvals tensordot trace vecdot vector_norm
    """,
    "numpy.ndarray": """
        T all any argmax argmin argsort clip cumprod cumsum diagonal dot flatten mT max mean
        min nonzero prod put ravel repeat reshape round sort squeeze std sum swapaxes take
        trace transpose var view
        searchsorted
    """,
    "numpy.lib.stride_tricks": """
        sliding_window_view
    """,
    "numpy.random": """
        normal rand randint randn random random_sample ranf standard_normal uniform
    """,
    "scipy.special": """
        betaln digamma entr erf erfc erfinv expit gamma gammaln i0 i0e i1 i1e iv ive
        log_expit log_softmax logit logsumexp multigammaln ndtr polygamma psi softmax xlog1py
        xlogy
    """,
    "jax.numpy": """
        abs absolute acos acosh add all amax amin any append arange arccos arccosh arcsin
        arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere around array
        array_split asarray asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d
        average broadcast_arrays broadcast_to cbrt ceil clip column_stack concat concatenate
        convolve copysign corrcoef cos cosh count_nonzero cov cross cumprod cumsum deg2rad degrees
        diag diagflat diagonal diff divide dot dsplit dstack einsum empty empty_like equal
        exp exp2 expand_dims expm1 eye fabs flip fliplr flipud float_power floor
        floor_divide fmax fmin fmod full full_like geomspace greater greater_equal heaviside
        hsplit hstack hypot i0 identity inner isclose isfinite isinf isnan isneginf isposinf
        kron ldexp less less_equal linspace log log10 log1p log2 logaddexp logaddexp2
        logical_and logical_not logical_or logical_xor logspace matmul matrix_transpose max
        maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanmax
        nanmean nanmedian nanmin nanpercentile nanquantile nanstd nansum nanvar negative
        nonzero not_equal ones ones_like outer pad percentile permute_dims positive pow
        power prod ptp put quantile rad2deg radians ravel reciprocal remainder repeat
        reshape rint roll rot90 round select sign signbit sin sinc sinh sort split sqrt
        square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose trapezoid tri tril triu true_divide trunc unstack
        vander var vdot vecdot vsplit vstack where zeros zeros_like
        allclose array_equal bincount bitwise_and bitwise_invert bitwise_left_shift bitwise_not
        bitwise_or bitwise_right_shift bitwise_xor correlate digitize divmod frexp gcd gradient
        interp invert isin isreal lcm left_shift modf nancumsum nanprod nextafter polyval
        right_shift searchsorted
    """,
    "jax.numpy.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr
        slogdet solve svd svdvals tensordot trace vecdot vector_norm
    """,
    "jax.nn": """
        celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu
        log_sigmoid log_softmax logsumexp mish one_hot relu relu6 selu sigmoid silu
        soft_sign softmax softplus squareplus swish tanh
        dot_product_attention
    """,
    "jax.scipy.special": """
        betaln digamma entr erf erfc erfinv expit gamma gammaln i0 i0e i1 i1e kl_div
        log_softmax logit logsumexp multigammaln ndtr polygamma softmax xlog1py xlogy
    """,
    "jax.lax": """
        cummax cummin digamma erf erfc lgamma rsqrt stop_gradient logistic top_k
        nextafter
    """,
    "jax.ops": """
        segment_max segment_min segment_prod segment_sum
    """,
}

NAMES: dict[str, frozenset[str]] = {
    module: frozenset(names.split()) for module, names in _NAMES.items()
}
"""Module of a library -> names in it; `torch.Tensor` and `numpy.ndarray` hold methods."""
