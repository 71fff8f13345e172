"""Tapers: windows that fade a piece of a signal in and out, as constants.

PyTorch's names end in _window and give periodic ones, for spectra of pieces that overlap;
NumPy's give symmetric ones.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, operation, sample
from vjpcli.ops.keywords import array_shape, plain_number, true_or_false, whole_number

KEYWORDS = {"M": "n", "window_length": "n"}
REFUSED = (
    Refusal(sample(n=-1), "keyword-value"),
    Refusal(sample(n=1.5), "keyword-value"),
    Refusal(sample(n=10**12), "too-large"),
)


def _taper(function, n, periodic):
    """function(n), or the first n entries of the next longer one, which then repeats smoothly."""
    n = whole_number("n", n, least=0)
    array_shape((n,))
    longer = int(true_or_false("periodic", periodic) and n > 1)
    return make_constant(function(n + longer)[:n])


def _cosine(n, alpha, beta):
    if n < 2:
        return np.ones(n)
    return alpha - beta * np.cos(2 * np.pi * np.arange(n) / (n - 1))


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def hann_window(*, n, periodic=True):
    """A window of one period of a raised cosine (Hann).

    Shapes:  -> [n]; symmetric with periodic=False
    Kinks:   none; it is constant
    Source:  (1 - cos(2 pi k/n))/2
    Example: vjp explain "abs(rfft(x * torch.hann_window(4)))" x=1,2,3,4 --seed ones
    """
    return _taper(np.hanning, n, periodic)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def hanning(*, n):
    """A symmetric window of one period of a raised cosine (Hann).

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  (1 - cos(2 pi k/(n - 1)))/2
    Example: vjp explain "sum(x * np.hanning(4))" x=1,2,3,4
    """
    return hann_window(n=n, periodic=False)


@operation(
    keyword_aliases=KEYWORDS, refuses=(*REFUSED, Refusal(sample(n=3, alpha="a"), "keyword-value"))
)
def hamming_window(*, n, periodic=True, alpha=0.54, beta=0.46):
    """A window of a raised cosine that does not reach 0 (Hamming).

    Shapes:  -> [n]; symmetric with periodic=False
    Kinks:   none; it is constant
    Source:  alpha - beta cos(2 pi k/n)
    Example: vjp explain "sum(x * torch.hamming_window(4))" x=1,2,3,4
    """
    alpha, beta = plain_number("alpha", alpha), plain_number("beta", beta)
    return _taper(lambda length: _cosine(length, alpha, beta), n, periodic)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def hamming(*, n):
    """A symmetric window of a raised cosine that does not reach 0 (Hamming).

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  0.54 - 0.46 cos(2 pi k/(n - 1))
    Example: vjp explain "sum(x * np.hamming(4))" x=1,2,3,4
    """
    return hamming_window(n=n, periodic=False)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def blackman_window(*, n, periodic=True):
    """A window of two cosines, with small side lobes (Blackman).

    Shapes:  -> [n]; symmetric with periodic=False
    Kinks:   none; it is constant
    Source:  0.42 - 0.5 cos(2 pi k/n) + 0.08 cos(4 pi k/n)
    Example: vjp explain "sum(x * torch.blackman_window(4))" x=1,2,3,4
    """
    return _taper(np.blackman, n, periodic)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def blackman(*, n):
    """A symmetric window of two cosines, with small side lobes (Blackman).

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  0.42 - 0.5 cos(2 pi k/(n - 1)) + 0.08 cos(4 pi k/(n - 1))
    Example: vjp explain "sum(x * np.blackman(4))" x=1,2,3,4
    """
    return blackman_window(n=n, periodic=False)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def bartlett_window(*, n, periodic=True):
    """A window that rises and falls in straight lines (Bartlett).

    Shapes:  -> [n]; symmetric with periodic=False
    Kinks:   none; it is constant
    Source:  1 - |2 k/n - 1|
    Example: vjp explain "sum(x * torch.bartlett_window(4))" x=1,2,3,4
    """
    return _taper(np.bartlett, n, periodic)


@operation(keyword_aliases=KEYWORDS, refuses=REFUSED)
def bartlett(*, n):
    """A symmetric window that rises and falls in straight lines (Bartlett).

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  1 - |2 k/(n - 1) - 1|
    Example: vjp explain "sum(x * np.bartlett(4))" x=1,2,3,4
    """
    return bartlett_window(n=n, periodic=False)


@operation(
    keyword_aliases=KEYWORDS, refuses=(*REFUSED, Refusal(sample(n=3, beta="a"), "keyword-value"))
)
def kaiser_window(*, n, periodic=True, beta=12.0):
    """A window whose width against its side lobes is chosen by beta (Kaiser).

    Shapes:  -> [n]; symmetric with periodic=False
    Kinks:   none; it is constant
    Source:  I0(beta sqrt(1 - (2 k/n - 1)^2))/I0(beta)
    Example: vjp explain "sum(x * torch.kaiser_window(4, beta=8))" x=1,2,3,4
    """
    beta = plain_number("beta", beta)
    return _taper(lambda length: np.kaiser(length, beta), n, periodic)


@operation(
    keyword_aliases=KEYWORDS,
    refuses=(
        Refusal(sample(n=-1, beta=5), "keyword-value"),
        Refusal(sample(n=3, beta="a"), "keyword-value"),
    ),
)
def kaiser(*, n, beta):
    """A symmetric window whose width against its side lobes is chosen by beta (Kaiser).

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  I0(beta sqrt(1 - (2 k/(n - 1) - 1)^2))/I0(beta)
    Example: vjp explain "sum(x * np.kaiser(4, 8))" x=1,2,3,4
    """
    return kaiser_window(n=n, periodic=False, beta=beta)
