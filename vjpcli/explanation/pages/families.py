"""The families of operations: their titles, sections and order.

A family is a file of `ops/`; its title is the beginning of that file's docstring. The sections
and their order are the table of contents of the reference.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from vjpcli.explanation.pages.docstring import taken_apart
from vjpcli.explanation.pages.model import FamilyList
from vjpcli.explanation.pages.spellings import is_building_block, short_aliases
from vjpcli.graph.operation import OPERATIONS, Operation

SECTIONS: dict[str, tuple[str, ...]] = {
    "Numbers": (
        "arithmetic", "combined", "division", "elementary", "logarithm", "trigonometry",
        "hyperbolic", "cofunctions", "special", "gaussian", "bessel", "incomplete",
        "integrals", "elliptic", "orthogonal_polynomials", "information", "curves",
        "comparison", "choice", "rounding", "parts", "whole_numbers", "factorials",
        "small_differences", "distributions", "polynomials", "python_math",
        "hypergeometric", "multivariate", "number_parts",
    ),
    "Many entries to few": (
        "reduction", "extreme", "spread", "medians", "quantiles", "norms", "sorting",
        "scan", "running", "differences", "ufunc", "searching",
    ),
    "Shapes and positions": (
        "shape", "ordering", "joining", "splitting", "copying", "indexing", "gathering",
        "scattering", "updating", "overwriting", "positions", "editing", "choosing",
        "writing", "sets", "reducing_scatter", "segments", "strides", "selection",
        "diagonals", "padding", "builders", "chance", "arrangements", "new_arrays", "ranks",
        "lax_slices", "lax_shapes",
    ),
    "Linear algebra": (
        "products", "dots", "array_products", "affine", "einsum", "tensors", "determinant",
        "solving", "symmetric", "singular", "orthogonal", "matrix_function", "distance",
        "eigen", "triangular_factors", "lu_systems", "factored", "matrix_equation",
        "matrix_logarithm", "structured", "constant_matrices", "scipy_linalg",
        "lax_products",
    ),
    "Complex numbers and spectra": (
        "complex_numbers", "fourier", "real_transforms", "frequencies", "spectrograms",
        "taper", "cosine_transforms", "transforms",
    ),
    "Neural networks": (
        "rectifier", "exponential_unit", "shrinkage", "activation", "softmax", "loss",
        "classification", "class_index", "multilabel", "alignment", "similarity",
        "normalisation", "convolution", "signals", "windows", "pooling", "pooling_3d",
        "adaptive_pooling", "power_pooling", "unpooling", "rearranging", "resampling",
        "grid", "embedding", "recurrent", "attention", "dropout", "multi_head_attention",
        "grouped_attention", "sampled_grids",
    ),
}  # fmt: skip
"""Section -> families, in the order of the reference. A family named nowhere comes last."""

ELSEWHERE = "Others"


def families() -> list[str]:
    """Every family that declares an operation, in the order of the reference."""
    declared = dict.fromkeys(operation.family for operation in OPERATIONS.values())
    ordered = [name for names in SECTIONS.values() for name in names if name in declared]
    return [*ordered, *(name for name in declared if name not in ordered)]


def section_of(family: str) -> str:
    """The section that a family belongs to."""
    return next((title for title, names in SECTIONS.items() if family in names), ELSEWHERE)


def title_of(family: str) -> str:
    """The beginning of the docstring of the family's file."""
    documentation = importlib.import_module(f"vjpcli.ops.{family}").__doc__ or family
    return documentation.splitlines()[0].partition(":")[0].strip().removesuffix(".")


def members(family: str) -> list[Operation]:
    """Its operations in the order of their declarations, without building blocks."""
    return [
        operation
        for operation in OPERATIONS.values()
        if operation.family == family and not is_building_block(operation)
    ]


def public_operations() -> list[Operation]:
    """Every operation that a library offers, in the order of the reference."""
    return [operation for family in families() for operation in members(family)]


def family_lists() -> list[FamilyList]:
    """What `vjp rule` lists."""
    lists = [
        FamilyList(section_of(family), title_of(family), _rows(members(family)))
        for family in families()
    ]
    return [one for one in lists if one.operations]


def _rows(operations: Iterable[Operation]) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    return tuple(
        (operation.name, short_aliases(operation), taken_apart(operation.documentation).summary)
        for operation in operations
    )
