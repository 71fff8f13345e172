"""Numbers: one entry of the result from one entry of each operand."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
