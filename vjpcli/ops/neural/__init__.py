"""Neural networks: activations, losses and layers."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
