"""Elliptic integrals, the arithmetic-geometric mean, and Lambert's function.

How the values are computed, and to what accuracy, stands in `elliptic_values.py`.
"""

from __future__ import annotations

import math

from vjpcli.graph.facts import Domain, positive, probability
from vjpcli.ops.declaration import Refusal, operation, outcome, sample
from vjpcli.ops.keywords import plain_number, true_or_false, whole_number
from vjpcli.ops.numbers import elementary
from vjpcli.ops.special_functions import elliptic_values

PARAMETER_SAMPLES = (
    sample((2, 3)),
    sample(()),
    sample([-40.0, -0.3, 0.0, 1e-9, 0.98]),
    sample((0,)),
)


@operation(
    elliptic_values.elliptic,
    pattern="elementwise",
    symbolic=lambda s, x, *, power, exponent, complement: _symbolic(
        s, x, power, exponent, complement
    ),
    domain=probability,
    samples=(
        sample((2, 3), power=1, exponent=1.5),
        sample((), power=0, exponent=-0.5),
        sample([-3.0, 0.4], power=2, exponent=0.5),
        sample((2,), power=1, exponent=1.5, complement=True),
    ),
    refuses=(Refusal(sample((2,), power="mean", exponent=0.5), "keyword-value"),),
)
def elliptic_integral(x, *, power, exponent, complement=False):
    """The integral of sin(t)**(2 power) (1 - m sin(t)**2)**-exponent, t from 0 to pi/2.

    Shapes:  m [...] up to 1 (or 1 - m, with complement) -> [...]; nan beyond
    Kinks:   none below m = 1
    Source:  differentiated under the integral: exponent times the integral of power + 1,
             exponent + 1
    Example: vjp explain "elliptic_integral(m, power=0, exponent=0.5)" m=-1,0,0.5 --seed ones
    """
    return outcome(
        x.shape,
        power=whole_number("power", power, least=0),
        exponent=plain_number("exponent", exponent),
        complement=true_or_false("complement", complement),
    )


def _symbolic(s, x, power, exponent, complement):
    parameter = 1 - x if complement else x
    if (power, exponent) == (0, 0.5):
        return s.elliptic_k(parameter)
    if (power, exponent) == (0, -0.5):
        return s.elliptic_e(parameter)
    raise NotImplementedError("elliptic_integral")


@elliptic_integral.vjp
def _(g, y, x, *, power, exponent, complement):
    deeper = elliptic_integral(x, power=power + 1, exponent=exponent + 1, complement=complement)
    return g * ((-exponent if complement else exponent) * deeper)


@operation(
    pattern="elementwise", domain=probability, samples=PARAMETER_SAMPLES, aliases=("elliptic_k",)
)
def ellipk(m):
    """Complete elliptic integral of the first kind, of the parameter m = k**2.

    Shapes:  m [...] up to 1 -> [...]; nan beyond
    Kinks:   none; inf at 1
    Source:  DLMF 19.2.8; differentiated under the integral; values by the trapezoidal rule in u
             with sin(t) = tanh(u), to 2e-15
    Example: vjp explain "ellipk(m)" m=-1,0,0.5 --seed ones
    """
    return elliptic_integral(m, power=0, exponent=0.5, complement=False)


@operation(pattern="elementwise", domain=probability, samples=(sample((2, 3)), sample([0.03, 1.7])))
def ellipkm1(p):
    """Complete elliptic integral of the first kind, of the parameter m = 1 - p.

    Shapes:  p [...] of at least 0 -> [...]; nan below
    Kinks:   none; inf at 0
    Source:  `ellipk`, with all digits where m is near 1
    Example: vjp explain "ellipkm1(p)" p=1e-9,0.5,1 --seed ones
    """
    return elliptic_integral(p, power=0, exponent=0.5, complement=True)


@operation(
    pattern="elementwise", domain=probability, samples=PARAMETER_SAMPLES, aliases=("elliptic_e",)
)
def ellipe(m):
    """Complete elliptic integral of the second kind, of the parameter m = k**2.

    Shapes:  m [...] up to 1 -> [...]; nan beyond
    Kinks:   none; at 1 the value is 1 and the slope -inf
    Source:  DLMF 19.2.8; differentiated under the integral; values as for `ellipk`, to 2e-15
    Example: vjp explain "ellipe(m)" m=-1,0,0.5 --seed ones
    """
    return elliptic_integral(m, power=0, exponent=-0.5, complement=False)


@operation(pattern="elementwise", domain=positive, samples=(sample((2, 3), (3,)), sample((), ())))
def agm(a, b):
    """Arithmetic-geometric mean of two positive numbers, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast); nan where they differ in sign
    Kinks:   none
    Source:  DLMF 19.8.5: pi/4 (a+b)/ellipkm1(4ab/(a+b)**2)
    Example: vjp explain "agm(a, b)" a=1,24 b=2,6 --seed ones
    """
    total = a + b
    return (0.25 * math.pi) * total / ellipkm1(4 * (a / total) * (b / total))


@operation(
    lambda z, *, branch: elliptic_values.lambertw(z, branch=branch),
    pattern="elementwise",
    symbolic=lambda s, z, *, branch: s.LambertW(z, branch),
    domain=Domain("(-1/e, 3)", -0.3, 3.0),
    keyword_aliases={"k": "branch"},
    samples=(
        sample((2, 3)),
        sample(()),
        sample([-0.36, -0.05, 0.0, 1e-9, 50.0, 1e9]),
        sample([-0.3, -0.01], branch=-1),
        sample((0,)),
    ),
    refuses=(Refusal(sample((2,), branch=1), "keyword-value"),),
)
def lambertw(z, *, branch=0):
    """Lambert's W function, the real w with w exp(w) = z: the branch 0, or -1 below -1.

    Shapes:  z [...] of at least -1/e -> [...]; nan where w is not real (SciPy: a complex number)
    Kinks:   none; at -1/e the slope is infinite
    Source:  DLMF 4.13.4: the derivative is exp(-w)/(1+w); values by Halley's method, to 2e-15
    Example: vjp explain "lambertw(z)" z=-0.2,0,1 --seed ones
    """
    return outcome(z.shape, branch=whole_number("k", branch, least=-1, most=0))


@lambertw.vjp
def _(g, y, z, *, branch):
    return g * (elementary.exp(-y) / (1 + y))
