"""Linear algebra: products, solutions and decompositions of matrices."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
