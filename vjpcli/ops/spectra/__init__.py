"""Complex numbers and spectra: values of two parts, and Fourier transforms."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
