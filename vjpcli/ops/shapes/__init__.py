"""Shapes and positions: entries that are moved, picked, joined or built."""

from vjpcli.ops.lazily import modules_of

__getattr__ = modules_of(__name__)
