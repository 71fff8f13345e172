"""Special functions: gamma, error, Bessel and other functions of mathematical physics."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
