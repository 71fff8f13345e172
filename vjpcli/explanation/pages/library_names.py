"""Which names exist in which library, as far as this program knows them.

Taken from the public names of PyTorch 2.13, NumPy 2, SciPy 1, SymPy 1, JAX 0.10 and Python's math;
a test demands that each of them means an operation here. An operation with no name in this table
(and without an operator) is a building block: a step that other operations are made of.
"""

from __future__ import annotations

_NAMES = {
    "torch": """
        abs absolute acos acosh adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv
        addcmul addmm addmv addr adjoint all allclose alpha_dropout amax amin aminmax angle
        any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin
        argsort argwhere as_strided as_strided_scatter as_tensor asarray asin asinh atan
        atan2 atanh atleast_1d atleast_2d atleast_3d avg_pool1d baddbmm bartlett_window
        batch_norm bilinear binary_cross_entropy_with_logits bincount bitwise_and
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
        blackman_window block_diag bmm broadcast_shapes broadcast_tensors broadcast_to
        bucketize cartesian_prod cat cdist ceil celu chain_matmul channel_shuffle cholesky
        cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min clip clone
        column_stack combinations complex concat concatenate conj conj_physical
        constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
        conv_transpose3d copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity
        count_nonzero cov cross ctc_loss cummax cummin cumprod cumsum cumulative_trapezoid
        deg2rad det detach diag diag_embed diagflat diagonal diagonal_scatter diff digamma
        dist div divide dot dropout dsplit dstack einsum embedding embedding_bag empty
        empty_like empty_permuted empty_strided eq equal erf erfc erfinv exp exp2 expm1 eye
        fake_quantize_per_tensor_affine feature_alpha_dropout feature_dropout fill fix
        flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac frexp
        frobenius_norm from_numpy full full_like gather gcd ge ger gradient greater
        greater_equal group_norm gru_cell gt hamming_window hann_window hardshrink heaviside
        hinge_embedding_loss histc hsplit hstack hypot i0 igamma igammac imag index_add
        index_copy index_fill index_put index_reduce index_select inner instance_norm
        inverse is_nonzero isclose isfinite isin isinf isnan isneginf isposinf isreal istft
        kaiser_window kl_div kron kthvalue layer_norm lcm ldexp le lerp less less_equal
        lgamma linspace log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp
        logdet logical_and logical_not logical_or logical_xor logit logspace logsumexp
        lstm_cell lt lu lu_solve lu_unpack margin_ranking_loss masked_fill masked_scatter
        masked_select matmul matrix_exp matrix_power max max_pool1d max_pool1d_with_indices
        max_pool2d max_pool3d maximum mean median min minimum mm mode moveaxis movedim msort
        mul multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow
        narrow_copy ne neg negative nextafter nonzero norm norm_except_dim normal not_equal
        nuclear_norm ones ones_like orgqr ormqr outer pairwise_distance pdist permute
        pinverse pixel_shuffle pixel_unshuffle poisson_nll_loss polar polygamma positive pow
        prelu prod put qr quantile rad2deg rand rand_like randint randn randn_like randperm
        range ravel real reciprocal relu remainder renorm repeat_interleave reshape rms_norm
        rnn_relu_cell rnn_tanh_cell roll rot90 round row_stack rrelu rsqrt rsub
        scalar_tensor scatter scatter_add scatter_reduce searchsorted segment_reduce select
        select_scatter selu sgn sigmoid sign signbit sin sinc sinh slice_scatter slogdet
        softmax sort split split_with_sizes sqrt square squeeze stack std std_mean stft sub
        subtract sum svd swapaxes swapdims t take take_along_dim tan tanh Tensor tensor
        tensor_split tensordot threshold tile topk trace transpose trapezoid trapz
        triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide
        trunc unbind unflatten unique unique_consecutive unsqueeze vander var var_mean vdot
        view_as_complex view_as_real vsplit vstack where xlogy zeros zeros_like
    """,
    "torch.nn.functional": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool1d_with_indices adaptive_max_pool2d
        adaptive_max_pool2d_with_indices adaptive_max_pool3d
        adaptive_max_pool3d_with_indices affine_grid alpha_dropout avg_pool1d avg_pool2d
        avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits
        celu channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
        conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss
        dropout dropout1d dropout2d dropout3d elu embedding embedding_bag
        feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool3d
        gaussian_nll_loss gelu glu grid_sample group_norm gumbel_softmax hardshrink
        hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm
        interpolate kl_div l1_loss layer_norm leaky_relu linear linear_cross_entropy
        local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d
        margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d
        max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d
        max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss
        multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize one_hot pad
        pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu
        relu6 rms_norm rrelu scaled_dot_product_attention selu sigmoid silu smooth_l1_loss
        soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink Tensor
        threshold triplet_margin_loss triplet_margin_with_distance_loss unfold upsample
        upsample_bilinear upsample_nearest
    """,
    "torch.linalg": """
        cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh
        householder_product inv inv_ex lstsq lu lu_factor lu_factor_ex lu_solve matmul
        matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
        solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot
        vector_norm
    """,
    "torch.special": """
        airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t
        chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w digamma entr
        erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln
        hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e laguerre_polynomial_l
        legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp modified_bessel_i0
        modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri
        polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
        shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
        shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc softmax
        spherical_bessel_j0 Tensor xlog1py xlogy zeta
    """,
    "torch.Tensor": """
        abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all
        allclose amax amin aminmax angle any arccos arccosh arcsin arcsinh arctan arctan2
        arctanh argmax argmin argsort argwhere as_strided as_strided_scatter asin asinh atan
        atan2 atanh baddbmm bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
        bitwise_right_shift bitwise_xor bmm broadcast_to ceil cholesky cholesky_inverse
        cholesky_solve chunk clamp clamp_max clamp_min clip clone conj conj_physical
        copysign corrcoef cos cosh count_nonzero cov cross cummax cummin cumprod cumsum
        deg2rad det detach diag diag_embed diagflat diagonal diagonal_scatter diff digamma
        dist div divide dot dsplit eig eq equal erf erfc erfinv exp exp2 expand expand_as
        expm1 fix flatten flip fliplr flipud float float_power floor floor_divide fmax fmin
        fmod frac frexp gather gcd ge ger greater greater_equal gt H hardshrink heaviside
        histc hsplit hypot i0 igamma igammac imag index_add index_copy index_fill index_put
        index_reduce index_select inner inverse is_nonzero isclose isfinite isinf isnan
        isneginf isposinf isreal istft kron kthvalue lcm ldexp le lerp less less_equal
        lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet
        logical_and logical_not logical_or logical_xor logit logsumexp lstsq lt lu lu_solve
        masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max maximum
        mean median mH min minimum mm mode moveaxis movedim msort mT mul multiply mv
        mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow narrow_copy ne neg
        negative new_empty new_full new_ones new_tensor new_zeros nextafter nonzero norm
        not_equal orgqr ormqr outer permute pinverse polygamma positive pow prelu prod put
        qr quantile rad2deg ravel real reciprocal relu remainder renorm repeat
        repeat_interleave reshape reshape_as roll rot90 round rsqrt scatter scatter_add
        scatter_reduce select select_scatter sgn sigmoid sign signbit sin sinc sinh
        slice_scatter slogdet softmax solve sort split split_with_sizes sqrt square squeeze
        std stft sub subtract sum sum_to_size svd swapaxes swapdims T t take take_along_dim
        tan tanh tensor_split tile topk trace transpose triangular_solve tril triu
        true_divide trunc unbind unflatten unfold unique unique_consecutive unsqueeze var
        vdot view view_as vsplit where xlogy
    """,
    "numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append arange arccos
        arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort
        argwhere around array array_equal array_split asanyarray asarray asarray_chkfinite
        ascontiguousarray asfortranarray asin asinh atan atan2 atanh atleast_1d atleast_2d
        atleast_3d average bartlett bincount bitwise_and bitwise_invert bitwise_left_shift
        bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block
        broadcast_arrays broadcast_shapes broadcast_to cbrt ceil choose clip column_stack
        compress concat concatenate conj conjugate convolve copy copysign copyto corrcoef
        correlate cos cosh count_nonzero cov cross cumprod cumsum cumulative_prod
        cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat
        diagonal diff digitize divide divmod dot dsplit dstack ediff1d einsum empty
        empty_like equal exp exp2 expand_dims expm1 extract eye fabs fill_diagonal fix
        flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod frexp
        full full_like gcd geomspace gradient greater greater_equal hamming hanning
        heaviside hsplit hstack hypot i0 identity imag indices inner insert interp
        intersect1d invert isclose isfinite isin isinf isnan isneginf isposinf isreal ix_
        kaiser kron lcm ldexp left_shift less less_equal lexsort linspace log log10 log1p
        log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
        matmul matrix_transpose matvec max maximum mean median meshgrid min minimum mod modf
        moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean
        nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar negative
        nextafter nonzero not_equal ones ones_like outer pad partition percentile
        permute_dims piecewise place poly polyadd polyder polydiv polyfit polyint polymul
        polysub polyval positive pow power prod ptp put put_along_axis putmask quantile
        rad2deg radians ravel ravel_multi_index real reciprocal remainder repeat require
        reshape resize right_shift rint roll rollaxis roots rot90 round row_stack
        searchsorted select setdiff1d setxor1d sign signbit sin sinc sinh sort split sqrt
        square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose trapezoid tri tril tril_indices tril_indices_from
        trim_zeros triu triu_indices triu_indices_from true_divide trunc union1d unique
        unique_all unique_counts unique_inverse unique_values unravel_index unstack unwrap
        vander var vdot vecdot vecmat vsplit vstack where zeros zeros_like
    """,
    "numpy.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr
        slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
    """,
    "numpy.ndarray": """
        all any argmax argmin argsort choose clip compress conj conjugate cumprod cumsum
        diagonal dot flatten imag max mean min mT nonzero prod put ravel real repeat reshape
        round searchsorted sort squeeze std sum swapaxes T take trace transpose var view
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
    "math": """
        comb factorial fma fsum gcd hypot isqrt lcm log perm remainder sumprod
    """,
    "sympy": """
        acot acoth acsc acsch asec asech cot coth csc csch ln sec sech
    """,
    "jax.numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append arange arccos
        arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort
        argwhere around array array_equal array_split asarray asin asinh atan atan2 atanh
        atleast_1d atleast_2d atleast_3d average bartlett bincount bitwise_and
        bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
        bitwise_xor blackman block broadcast_arrays broadcast_shapes broadcast_to cbrt ceil
        choose clip column_stack compress concat concatenate conj conjugate convolve copy
        copysign corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum
        cumulative_prod cumulative_sum deg2rad degrees delete diag diag_indices
        diag_indices_from diagflat diagonal diff digitize divide divmod dot dsplit dstack
        ediff1d einsum empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs
        fill_diagonal flatnonzero flip fliplr flipud float_power floor floor_divide fmax
        fmin fmod frexp full full_like gcd geomspace gradient greater greater_equal hamming
        hanning heaviside hsplit hstack hypot i0 identity imag indices inner insert interp
        intersect1d invert isclose isfinite isin isinf isnan isneginf isposinf isreal ix_
        kaiser kron lcm ldexp left_shift less less_equal lexsort linspace log log10 log1p
        log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
        matmul matrix_transpose matvec max maximum mean median meshgrid min minimum mod modf
        moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean
        nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar negative
        nextafter nonzero not_equal ones ones_like outer pad partition percentile
        permute_dims piecewise place poly polyadd polyder polydiv polyfit polyint polymul
        polysub polyval positive pow power prod ptp put put_along_axis quantile rad2deg
        radians ravel ravel_multi_index real reciprocal remainder repeat reshape resize
        right_shift rint roll rollaxis roots rot90 round searchsorted select setdiff1d
        setxor1d sign signbit sin sinc sinh sort split sqrt square squeeze stack std
        subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose
        trapezoid tri tril tril_indices tril_indices_from trim_zeros triu triu_indices
        triu_indices_from true_divide trunc union1d unique unique_all unique_counts
        unique_inverse unique_values unravel_index unstack unwrap vander var vdot vecdot
        vecmat vsplit vstack where zeros zeros_like
    """,
    "jax.numpy.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
        matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr
        slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
    """,
    "jax.nn": """
        celu dot_product_attention elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh
        identity leaky_relu log_sigmoid log_softmax logsumexp mish one_hot relu relu6 selu
        sigmoid silu soft_sign softmax softplus squareplus swish tanh
    """,
    "jax.scipy.special": """
        bessel_jn beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx
        erfinv exp1 expi expit expn factorial fresnel gamma gammainc gammaincc gammaln
        gammasgn hyp1f1 hyp2f1 i0 i0e i1 i1e kl_div log_ndtr log_softmax loggamma logit
        logsumexp multigammaln ndtr ndtri owens_t poch polygamma rel_entr sici softmax
        spence xlog1py xlogy zeta
    """,
    "jax.lax": """
        batch_matmul bessel_i0e bessel_i1e broadcast broadcast_in_dim broadcasted_iota clamp
        collapse complex concatenate conj conv conv_general_dilated conv_transpose
        conv_with_general_padding cumlogsumexp cummax cummin cumprod cumsum digamma dot
        dot_general dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim
        dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim erf
        erf_inv erfc expand_dims igamma igamma_grad_a igammac imag index_in_dim integer_pow
        iota lgamma logistic nextafter pad polygamma real reduce_and reduce_max reduce_min
        reduce_or reduce_prod reduce_sum reshape rev round rsqrt select select_n slice
        slice_in_dim sort sort_key_val squeeze stop_gradient top_k transpose zeta
    """,
    "jax.ops": """
        segment_max segment_min segment_prod segment_sum
    """,
    "torch.fft": """
        fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft
        ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "numpy.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
        irfftn rfft rfft2 rfftfreq rfftn
    """,
    "scipy.fft": """
        dct dst fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn idct idst ifft ifft2 ifftn
        ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "jax.numpy.fft": """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
        irfftn rfft rfft2 rfftfreq rfftn
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
    "scipy.linalg": """
        block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix
        coshm cosm det eig eigh eigh_tridiagonal eigvals eigvalsh expm expm_frechet fiedler
        fractional_matrix_power hadamard hankel helmert hilbert inv invhilbert invpascal
        khatri_rao leslie logm lstsq lu lu_factor lu_solve norm pascal pinv polar qr signm
        sinhm sinm solve solve_banded solve_circulant solve_continuous_lyapunov
        solve_discrete_lyapunov solve_lyapunov solve_sylvester solve_toeplitz
        solve_triangular sqrtm svd svdvals tanhm tanm toeplitz
    """,
    "scipy.signal": """
        convolve convolve2d correlate correlate2d fftconvolve oaconvolve
    """,
    "scipy.integrate": """
        cumulative_trapezoid simpson trapezoid
    """,
    "jax.scipy.linalg": """
        block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix det
        eigh eigh_tridiagonal expm expm_frechet fiedler hadamard hankel helmert hilbert inv
        invhilbert invpascal leslie lu lu_factor lu_solve pascal polar qr solve
        solve_sylvester solve_triangular sqrtm svd toeplitz
    """,
    "jax.scipy.signal": """
        convolve convolve2d correlate correlate2d fftconvolve
    """,
    "jax.scipy.ndimage": """
        map_coordinates
    """,
    "jax.lax.linalg": """
        cholesky eigh lu qr svd triangular_solve
    """,
}

NAMES: dict[str, frozenset[str]] = {
    module: frozenset(names.split()) for module, names in _NAMES.items()
}
"""Module of a library -> names in it; `torch.Tensor` and `numpy.ndarray` hold methods."""
