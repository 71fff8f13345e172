"""Which names exist in which library, as far as this program knows them.

Taken from the public names of PyTorch 2.8, NumPy 2, SciPy 1 and JAX 0.10; a test demands that
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
        hsplit hstack hypot i0 igamma igammac index_add index_copy index_fill index_select
        inner instance_norm inverse isclose isfinite isinf isnan isneginf isposinf kl_div
        kron kthvalue layer_norm ldexp le lerp less less_equal lgamma linspace log log10
        log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and
        logical_not logical_or logical_xor logit logspace logsumexp lt margin_ranking_loss
        masked_fill masked_select matmul matrix_exp matrix_power max max_pool1d max_pool2d
        maximum mean median min minimum mm mode moveaxis movedim msort mul multiply mv
        mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow ne neg negative
        nonzero norm normal not_equal ones ones_like outer pairwise_distance pdist permute
        pinverse pixel_shuffle pixel_unshuffle poisson_nll_loss polygamma positive pow prelu
        prod put qr quantile rad2deg rand rand_like randint randn randn_like randperm ravel
        reciprocal relu remainder repeat_interleave reshape rms_norm roll rot90 round
        row_stack rrelu rsqrt scalar_tensor scatter scatter_add select selu sgn sigmoid sign
        signbit sin sinc sinh slogdet softmax sort split sqrt square squeeze stack std
        std_mean sub subtract sum svd swapaxes swapdims t take take_along_dim tan tanh
        tensor tensor_split tensordot threshold tile topk trace transpose trapezoid trapz
        triangular_solve tril triplet_margin_loss triu true_divide trunc unbind unflatten
        unsqueeze vander var var_mean vdot vsplit vstack where xlogy zeros zeros_like
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
    """,
    "torch.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
        solve_triangular svd svdvals vander vecdot vector_norm
    """,
    "torch.special": """
        Tensor airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t
        chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w digamma entr
        erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln
        hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e laguerre_polynomial_l
        legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp modified_bessel_i0
        modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri
        polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
        shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
        shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc softmax
        spherical_bessel_j0 xlog1py xlogy zeta
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
        ge ger greater greater_equal gt hardshrink heaviside hsplit hypot i0 igamma igammac
        index_add index_copy index_fill index_select inner inverse isclose isfinite isinf
        isnan isneginf isposinf kron kthvalue ldexp le lerp less less_equal lgamma log log10
        log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and
        logical_not logical_or logical_xor logit logsumexp lstsq lt mH mT masked_fill
        masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm
        mode moveaxis movedim msort mul multiply mv mvlgamma nan_to_num nanmean nanmedian
        nanquantile nansum narrow ne neg negative nonzero norm not_equal outer permute
        pinverse polygamma positive pow prelu prod put qr quantile rad2deg ravel reciprocal
        relu remainder repeat repeat_interleave reshape reshape_as roll rot90 round rsqrt
        scatter scatter_add select sgn sigmoid sign signbit sin sinc sinh slogdet softmax
        solve sort split sqrt square squeeze std sub subtract sum svd swapaxes swapdims t
        take take_along_dim tan tanh tensor_split tile topk trace transpose triangular_solve
        tril triu true_divide trunc unbind unflatten unfold unsqueeze var vdot view view_as
        vsplit where xlogy
    """,
    "numpy": """
        abs absolute acos acosh add all amax amin any append arange arccos arccosh arcsin
        arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere around array
        array_split asanyarray asarray ascontiguousarray asin asinh atan atan2 atanh
        atleast_1d atleast_2d atleast_3d average broadcast_arrays broadcast_to cbrt ceil
        clip column_stack concat concatenate convolve copysign corrcoef cos cosh
        count_nonzero cov cross cumprod cumsum deg2rad degrees diag diagflat diagonal diff
        divide divmod dot dsplit dstack einsum empty empty_like equal exp exp2 expand_dims
        expm1 eye fabs fix flip fliplr flipud float_power floor floor_divide fmax fmin fmod
        frexp full full_like gcd geomspace greater greater_equal heaviside hsplit hstack
        hypot i0 identity inner isclose isfinite isinf isnan isneginf isposinf kron lcm
        ldexp less less_equal linspace log log10 log1p log2 logaddexp logaddexp2 logical_and
        logical_not logical_or logical_xor logspace matmul matrix_transpose max maximum mean
        median meshgrid min minimum mod modf moveaxis multiply nan_to_num nanmax nanmean
        nanmedian nanmin nanpercentile nanquantile nanstd nansum nanvar negative nonzero
        not_equal ones ones_like outer pad percentile permute_dims poly polyadd polyder
        polydiv polyfit polyint polymul polysub positive pow power prod ptp put quantile
        rad2deg radians ravel reciprocal remainder repeat reshape rint roll roots rot90
        round row_stack select sign signbit sin sinc sinh sort split sqrt square squeeze
        stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
        transpose trapezoid tri tril triu true_divide trunc unstack unwrap vander var vdot
        vecdot vsplit vstack where zeros zeros_like
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
    """,
    "numpy.lib.stride_tricks": """
        sliding_window_view
    """,
    "numpy.random": """
        normal rand randint randn random random_sample ranf standard_normal uniform
    """,
    "scipy.special": """
        agm beta betainc betaincc betaln binom boxcox boxcox1p cbrt comb cosm1 dawsn digamma
        ellipe ellipk ellipkm1 entr erf erfc erfcx erfi erfinv eval_chebyt eval_chebyu
        eval_gegenbauer eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi
        eval_laguerre eval_legendre eval_sh_chebyt eval_sh_chebyu exp1 exp10 exp2 expi expit
        expm1 expn exprel factorial fresnel gamma gammainc gammaincc gammaln gammasgn huber
        hyp0f1 hyp1f1 hyp2f1 i0 i0e i1 i1e inv_boxcox inv_boxcox1p iv ive j0 j1 jn jv k0 k0e
        k1 k1e kl_div kn kv kve lambertw legendre_p log1p log1pmx log_expit log_ndtr
        log_softmax loggamma logit logsumexp multigammaln ndtr ndtri owens_t perm poch
        polygamma powm1 pseudo_huber psi rel_entr rgamma round sici sinc softmax softplus
        spence spherical_jn xlog1py xlogy y0 y1 yn yv zeta
    """,
    "jax.numpy": """
        abs absolute acos acosh add all amax amin any append arange arccos arccosh arcsin
        arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere around array
        array_split asarray asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d
        average broadcast_arrays broadcast_to cbrt ceil clip column_stack concat concatenate
        convolve copysign corrcoef cos cosh count_nonzero cov cross cumprod cumsum deg2rad
        degrees diag diagflat diagonal diff divide divmod dot dsplit dstack einsum empty
        empty_like equal exp exp2 expand_dims expm1 eye fabs flip fliplr flipud float_power
        floor floor_divide fmax fmin fmod frexp full full_like gcd geomspace greater
        greater_equal heaviside hsplit hstack hypot i0 identity inner isclose isfinite isinf
        isnan isneginf isposinf kron lcm ldexp less less_equal linspace log log10 log1p log2
        logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul
        matrix_transpose max maximum mean median meshgrid min minimum mod modf moveaxis
        multiply nan_to_num nanmax nanmean nanmedian nanmin nanpercentile nanquantile nanstd
        nansum nanvar negative nonzero not_equal ones ones_like outer pad percentile
        permute_dims poly polyadd polyder polydiv polyfit polyint polymul polysub positive
        pow power prod ptp put quantile rad2deg radians ravel reciprocal remainder repeat
        reshape rint roll roots rot90 round select sign signbit sin sinc sinh sort split
        sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose trapezoid tri tril triu true_divide trunc unstack
        unwrap vander var vdot vecdot vsplit vstack where zeros zeros_like
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
    """,
    "jax.scipy.special": """
        bessel_jn beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx
        erfinv exp1 expi expit expn factorial fresnel gamma gammainc gammaincc gammaln
        gammasgn hyp1f1 hyp2f1 i0 i0e i1 i1e kl_div log_ndtr log_softmax loggamma logit
        logsumexp multigammaln ndtr ndtri owens_t poch polygamma rel_entr sici softmax
        spence xlog1py xlogy zeta
    """,
    "jax.lax": """
        bessel_i0e bessel_i1e cummax cummin digamma erf erf_inv erfc igamma igamma_grad_a
        igammac lgamma logistic polygamma rsqrt stop_gradient
        top_k zeta
    """,
    "math": """
        comb factorial fma fsum gcd hypot isqrt lcm perm remainder sumprod
    """,
    "scipy.stats": """
        bernoulli.logpmf bernoulli.pmf beta.cdf beta.logcdf beta.logpdf beta.logsf beta.pdf
        beta.sf binom.logpmf binom.pmf cauchy.cdf cauchy.logcdf cauchy.logpdf cauchy.logsf
        cauchy.pdf cauchy.sf chi2.cdf chi2.logcdf chi2.logpdf chi2.logsf chi2.pdf chi2.sf
        expon.cdf expon.logcdf expon.logpdf expon.logsf expon.pdf expon.ppf expon.sf
        gamma.cdf gamma.logcdf gamma.logpdf gamma.logsf gamma.pdf gamma.sf geom.cdf
        geom.logcdf geom.logpmf geom.logsf geom.pmf geom.sf gumbel_r.cdf gumbel_r.logcdf
        gumbel_r.logpdf gumbel_r.logsf gumbel_r.pdf gumbel_r.sf laplace.cdf laplace.logcdf
        laplace.logpdf laplace.logsf laplace.pdf laplace.sf logistic.cdf logistic.logcdf
        logistic.logpdf logistic.logsf logistic.pdf logistic.ppf logistic.sf lognorm.cdf
        lognorm.logcdf lognorm.logpdf lognorm.logsf lognorm.pdf lognorm.sf
        multivariate_normal.logpdf multivariate_normal.pdf norm.cdf norm.logcdf norm.logpdf
        norm.logsf norm.pdf norm.ppf norm.sf pareto.cdf pareto.logcdf pareto.logpdf
        pareto.logsf pareto.pdf pareto.sf poisson.cdf poisson.logcdf poisson.logpmf
        poisson.logsf poisson.pmf poisson.sf t.cdf t.logcdf t.logpdf t.logsf t.pdf t.sf
        uniform.cdf uniform.logcdf uniform.logpdf uniform.logsf uniform.pdf uniform.ppf
        uniform.sf weibull_min.cdf weibull_min.logcdf weibull_min.logpdf weibull_min.logsf
        weibull_min.pdf weibull_min.sf
    """,
    "jax.scipy.stats": """
        bernoulli.logpmf bernoulli.pmf beta.cdf beta.logcdf beta.logpdf beta.logsf beta.pdf
        beta.sf binom.logpmf binom.pmf cauchy.cdf cauchy.logcdf cauchy.logpdf cauchy.logsf
        cauchy.pdf cauchy.sf chi2.cdf chi2.logcdf chi2.logpdf chi2.logsf chi2.pdf chi2.sf
        expon.cdf expon.logcdf expon.logpdf expon.logsf expon.pdf expon.ppf expon.sf
        gamma.cdf gamma.logcdf gamma.logpdf gamma.logsf gamma.pdf gamma.sf geom.cdf
        geom.logcdf geom.logpmf geom.logsf geom.pmf geom.sf gumbel_r.cdf gumbel_r.logcdf
        gumbel_r.logpdf gumbel_r.logsf gumbel_r.pdf gumbel_r.sf laplace.cdf laplace.logcdf
        laplace.logpdf laplace.logsf laplace.pdf laplace.sf logistic.cdf logistic.logcdf
        logistic.logpdf logistic.logsf logistic.pdf logistic.ppf logistic.sf
        multivariate_normal.logpdf multivariate_normal.pdf norm.cdf norm.logcdf norm.logpdf
        norm.logsf norm.pdf norm.ppf norm.sf pareto.cdf pareto.logcdf pareto.logpdf
        pareto.logsf pareto.pdf pareto.sf poisson.cdf poisson.logcdf poisson.logpmf
        poisson.logsf poisson.pmf poisson.sf t.cdf t.logcdf t.logpdf t.logsf t.pdf t.sf
        uniform.cdf uniform.logcdf uniform.logpdf uniform.logsf uniform.pdf uniform.ppf
        uniform.sf
    """,
}

NAMES: dict[str, frozenset[str]] = {
    module: frozenset(names.split()) for module, names in _NAMES.items()
}
"""Module of a library -> names in it; `torch.Tensor` and `numpy.ndarray` hold methods."""
