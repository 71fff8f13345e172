"""Many entries to few: sums, extremes, quantiles, and what runs along an axis."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
