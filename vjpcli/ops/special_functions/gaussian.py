"""Normal distribution: its functions and the scaled error function, exact far out in the tails."""

from __future__ import annotations

import math

from vjpcli.graph.facts import probability
from vjpcli.ops.declaration import elementwise, sample
from vjpcli.ops.numbers import elementary
from vjpcli.ops.special_functions import special_values

TAIL_SAMPLES = (sample((2, 3)), sample(()), sample([-8.0, -2.0, 0.3, 4.5]), sample((0,)))


@elementwise(
    special_values.erfcx,
    symbolic=lambda s, x: s.exp(x**2) * s.erfc(x),
    samples=TAIL_SAMPLES,
)
def erfcx(x):
    """exp(x**2) erfc(x) of each entry, which does not underflow.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  product rule: 2 x y - 2/sqrt(pi); values by Cody's rational approximations, to 5e-15
    Example: vjp explain "erfcx(x)" x=0,2,30 --seed ones
    """


@erfcx.vjp
def _(g, y, x):
    return g * (2 * x * y - 2 / math.sqrt(math.pi))


@elementwise(
    special_values.log_ndtr,
    symbolic=lambda s, x: s.log(s.erfc(-x / s.sqrt(2)) / 2),
    samples=TAIL_SAMPLES,
)
def log_ndtr(x):
    """Logarithm of the probability that a standard normal number is at most the entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  density over probability, sqrt(2/pi)/erfcx(-x/sqrt(2)), finite in both tails
    Example: vjp explain "log_ndtr(x)" x=-30,0,2 --seed ones
    """


@log_ndtr.vjp
def _(g, y, x):
    return g * (math.sqrt(2 / math.pi) / erfcx(x * -math.sqrt(0.5)))


@elementwise(
    special_values.ndtri,
    symbolic=lambda s, p: s.sqrt(2) * s.erfinv(2 * p - 1),
    domain=probability,
)
def ndtri(p):
    """The number below which a standard normal number lies with probability p.

    Shapes:  p [...] -> [...]
    Kinks:   none inside (0, 1); infinite at 0 and 1, nan outside
    Source:  inverse function: sqrt(2 pi) exp(y**2/2); values by Newton's method on log_ndtr
    Example: vjp explain "ndtri(p)" p=0.025,0.5,0.975 --seed ones
    """


@ndtri.vjp
def _(g, y, p):
    return g * (math.sqrt(2 * math.pi) * elementary.exp(0.5 * (y * y)))
