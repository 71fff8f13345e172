"""Which names exist in which library, as far as this program knows them.

Taken from the public names of PyTorch 2.13, NumPy 2.4, SciPy 1.17, JAX 0.10 and Python's math,
and from SymPy's elementary functions.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def public_names() -> dict[str, tuple[str, ...]]:
    """Module of a library -> the names in it, sorted.

    `torch.Tensor`, `numpy.ndarray` and `jax.Array` hold methods.
    """
    text = files("vjpcli.graph").joinpath("public_names.json").read_text("utf-8")
    return {module: tuple(names.split()) for module, names in json.loads(text).items()}
