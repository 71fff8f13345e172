"""Explanations made by hand with NumPy, for tests of the renderers alone.

The numbers come from the textbook formulas of each program, not from the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Fix, Label, Source, Span, TrailRow
from vjpcli.explanation.model import (
    Check,
    Explanation,
    Input,
    LeafReport,
    Nudge,
    Output,
    Seed,
    SeedOrigin,
    Step,
)

Array = NDArray[Any]

AGREES = Check(True, "central differences", 1.2e-9, 18)


def array(*numbers: float) -> Array:
    return np.array(numbers, dtype=np.float64)


def explanation(
    program: str,
    inputs: Mapping[str, Any],
    output: Any,
    jacobian: Mapping[str, Any],
    seeds: Sequence[Any] = (),
    *,
    name: str = "y",
    origin: SeedOrigin = "given",
    leaves: Mapping[str, LeafReport] | None = None,
    stand_ins: Sequence[str] = (),
    data: Sequence[str] = (),
    dtype: str = "float64",
    **more: Any,
) -> Explanation:
    """One output, one leaf report each, and gradients = sum over seeds of seed · Jacobian."""
    kind = np.dtype(dtype)
    value = np.asarray(output, dtype=kind)
    arrays = {key: np.asarray(item, dtype=kind) for key, item in inputs.items()}
    table = {
        key: None if item is None else np.asarray(item, dtype=kind)
        for key, item in jacobian.items()
    }
    seed_values = [np.asarray(seed, dtype=kind) for seed in seeds]
    gradients = more.pop("gradients", None)
    if gradients is None:
        gradients = {
            key: sum(
                (np.tensordot(seed, item, axes=seed.ndim) for seed in seed_values),
                np.zeros(arrays[key].shape, kind),
            )
            for key, item in table.items()
            if item is not None
        }
    return Explanation(
        source=Source(program),
        dtype=dtype,
        inputs={
            key: Input(key, item, "stand-in" if key in stand_ins else "given", key not in data)
            for key, item in arrays.items()
        },
        outputs=(Output(name, value),),
        passes=tuple((Seed(seed, origin, "", name),) for seed in seed_values),
        gradients=gradients,
        jacobian={name: table},
        leaves=dict(leaves or {key: LeafReport() for key in table}),
        check=more.pop("check", AGREES),
        **more,
    )


def diagonal_report(formula: str | None, size: int) -> LeafReport:
    return LeafReport(formula=formula, structure="diagonal", reads=np.eye(size, dtype=bool))


def elementwise(
    seeds: Sequence[Any] = ((0.1, 1.0, 0.0001),), size: int = 3, **more: Any
) -> Explanation:
    """Screen a: 3*a + 2*b*b + log(c)."""
    a, b, c = (np.arange(size) + float(start) for start in (1, 3, 6))
    return explanation(
        "3*a+2*b*b+log(c)",
        {"a": a, "b": b, "c": c},
        3 * a + 2 * b * b + np.log(c),
        {"a": np.diag(3 + 0 * a), "b": np.diag(4 * b), "c": np.diag(1 / c)},
        seeds,
        leaves={
            "a": diagonal_report("3", size),
            "b": diagonal_report("4*b", size),
            "c": diagonal_report("1/c", size),
        },
        sentences=(
            "Each y[i] depends only on a[i], b[i], c[i] (the Jacobian is diagonal), so each "
            "gradient entry is one product: seed × slope → gradient.",
        ),
        **more,
    )


def one_hot() -> Explanation:
    """Screen b: one row of the Jacobian of z = 2*x."""
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    report = LeafReport(
        formula="2", structure="diagonal", reads=np.eye(4, dtype=bool).reshape(1, 4, 1, 4)
    )
    return explanation(
        "z = 2*x",
        {"x": x},
        2 * x,
        {"x": (2 * np.eye(4)).reshape(1, 4, 1, 4)},
        [[[1.0, 0.0, 0.0, 0.0]]],
        name="z",
        origin="row",
        leaves={"x": report},
        sentences=(
            "A one-hot seed picks one row of the Jacobian: x.grad is the slope of z[0,0] alone; "
            "the other outputs are ignored.",
        ),
    )


def matrix_product() -> Explanation:
    """Screen c: y = W @ x."""
    W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x = array(1, 0, -1)
    dy_dW = np.einsum("ij,k->ijk", np.eye(2), x)
    reads = np.broadcast_to(np.eye(2, dtype=bool)[:, :, None], (2, 2, 3))
    return explanation(
        "y = W @ x",
        {"W": W, "x": x},
        W @ x,
        {"x": W, "W": dy_dW},
        [(1.0, 0.5)],
        leaves={
            "x": LeafReport(
                matrix_formula="W.T @ seed", matrix_formula_says="seed mixes the rows of W"
            ),
            "W": LeafReport(
                matrix_formula="outer(seed, x)",
                matrix_formula_says="row i is seed[i] × x",
                structure="block",
                reads=reads,
            ),
        },
    )


def scalar_loss(x: Array | None = None) -> Explanation:
    """Screen d: loss = mean((w*x + b - t)**2)."""
    x = array(1, 2, 3) if x is None else x
    w, b, t = 0.5, 0.0, 2.0 * x
    t1 = w * x
    t2 = t1 + b
    t3 = t2 - t
    t4 = t3**2
    loss = np.mean(t4)
    g4 = np.full_like(x, 1 / x.size)
    g3 = 2 * t3 * g4
    steps = (
        Step("w", "", "leaf", np.array(w), np.sum(g3 * x), "× x, then Σ over the 3 entries"),
        Step("x", "", "data", x, None),
        Step("b", "", "leaf", np.array(b), np.sum(g3), "Σ over the 3 entries b was broadcast to"),
        Step("t", "", "data", t, None),
        Step("t1", "w*x", "multiply", t1, g3, "× 1", ("t2",), ("w", "x")),
        Step("t2", "t1 + b", "add", t2, g3, "× 1", ("t3",), ("t1", "b")),
        Step("t3", "t2 - t", "subtract", t3, g3, "× 2*t3", ("t4",), ("t2", "t")),
        Step(
            "t4", "t3**2", "power", t4, g4, "mean: seed/3 to each of the 3 entries", ("loss",),
            ("t3", "2"), "∂(t3**2)/∂t3 = 2*t3",
        ),
        Step("loss", "mean(t4)", "mean", loss, np.array(1.0), "seed = 1", (), ("t4",)),
    )  # fmt: skip
    gradient_w, gradient_b = float(np.sum(g3 * x)), float(np.sum(g3))
    return explanation(
        "loss = mean((w*x+b-t)**2)",
        {"w": w, "x": x, "b": b, "t": t},
        loss,
        {"w": gradient_w, "b": gradient_b},
        [1.0],
        name="loss",
        origin="implicit",
        data=("x", "t"),
        leaves={
            "w": LeafReport(structure="row", nudge=Nudge(0.01, 0.01 * gradient_w)),
            "b": LeafReport(structure="row", nudge=Nudge(0.01, 0.01 * gradient_b)),
        },
        steps=steps,
        node_count=len(steps),
    )


def each_row() -> Explanation:
    """y = W @ x with --seed each: one gradient per output entry."""
    made = matrix_product()
    return replaced(
        made,
        passes=((Seed(None, "each", "each", "y"),),),
        gradients=dict(made.jacobian["y"]),
    )


def tensor() -> Explanation:
    """sum over the last axis of a 2×3×4 tensor."""
    x = np.arange(24.0).reshape(2, 3, 4) / 8
    jacobian = np.einsum("ia,jb,k->ijabk", np.eye(2), np.eye(3), np.ones(4))
    return explanation(
        "sum(x, axis=-1)", {"x": x}, x.sum(-1), {"x": jacobian}, [np.ones((2, 3))], origin="ones"
    )


def million() -> Explanation:
    """3*x with a million entries, its Jacobian too large to be kept."""
    x = np.linspace(0.0, 1.0, 1_000_000)
    report = LeafReport(formula="3", structure="diagonal", slopes=np.full_like(x, 3.0))
    return explanation(
        "3*x", {"x": x}, 3 * x, {"x": None}, [np.ones_like(x)], origin="ones",
        leaves={"x": report}, gradients={"x": np.full_like(x, 3.0)},
    )  # fmt: skip


def dense(numbers: Array, name: str = "x") -> Explanation:
    """y = A @ x for the given matrix A of numbers, seed of ones."""
    leaf = np.ones(numbers.shape[1])
    with np.errstate(all="ignore"):
        return explanation(
            f"y = A @ {name}", {name: leaf}, numbers @ leaf, {name: numbers},
            [np.ones(numbers.shape[0])], origin="ones",
        )  # fmt: skip


def hidden_branch() -> Explanation:
    """Screen e: a nan that where() hides on the way forward only."""
    program = "where(x > 0, sqrt(x), 0)"
    x = array(0, 4)
    finding = Diagnostic(
        "nan-untaken-branch",
        "x.grad[0] is nan: a branch that was not taken (0 × ∞)",
        severity="warning",
        source=Source(program),
        labels=(Label(Span(13, 20), "the nan is made here, on the way back"),),
        notes=("The value is fine (y = 0); only the gradient breaks.",),
        fix=Fix(
            "where(x > 0, sqrt(where(x > 0, x, 1)), 0)",
            says="guard the input of sqrt, not only its result",
        ),
        leaf="x",
        index=(0,),
        numbers=(("x", 0.0),),
        trail=(
            TrailRow("where(…)", 0.0, "0", 1.0, "0", "x > 0 is False, so nothing is sent"),
            TrailRow("sqrt(x)", 0.0, "1/(2·sqrt(0)) = ∞", 0.0, "0 × ∞ = nan", "not a number"),
        ),
    )
    report = LeafReport(
        structure="diagonal", reads=np.eye(2, dtype=bool), finite=False, slopes=array(np.nan, 0.25)
    )
    return explanation(
        program, {"x": x}, [0.0, 2.0], {"x": np.diag([np.nan, 0.25])}, [(1.0, 1.0)],
        origin="ones", leaves={"x": report}, gradients={"x": array(np.nan, 0.25)},
        diagnostics=(finding,),
    )  # fmt: skip


def two_outputs() -> Explanation:
    """y = a*a with a vector seed and z = sum(y) with a scalar one."""
    a = array(1, 2, 3)
    made = explanation("y = a*a; z = sum(y)", {"a": a}, a.sum(), {"a": 2 * a}, [1.0], name="z")
    return replaced(
        made,
        outputs=(Output("y", a * a), Output("z", np.array((a * a).sum()))),
        passes=(
            (
                Seed(array(0.5, 0, 1), "given", "0.5,0,1", "y"),
                Seed(np.array(1.0), "given", "1", "z"),
            ),
        ),
        jacobian={"y": {"a": np.diag(2 * a)}, "z": {"a": 2 * a}},
        gradients={"a": 2 * a * (array(0.5, 0, 1) + 1)},
    )


EVERY = {
    "elementwise": elementwise,
    "elementwise, two passes": lambda: elementwise(seeds=[(1, 1, 1), (0.1, 1.0, 0.0001)]),
    "elementwise, stand-ins": lambda: elementwise(stand_ins=("a", "b", "c"), origin="example"),
    "elementwise, long": lambda: elementwise(seeds=[np.linspace(0, 1, 50)], size=50),
    "one-hot": one_hot,
    "matrix product": matrix_product,
    "scalar loss": scalar_loss,
    "scalar loss, long": lambda: scalar_loss(np.linspace(-3, 1e7, 40)),
    "each": each_row,
    "tensor": tensor,
    "two outputs": two_outputs,
    "dense": lambda: dense(np.sin(np.arange(1200.0)).reshape(30, 40) * 10.0 ** np.arange(-20, 20)),
    "hidden branch": hidden_branch,
    "nan and inf": lambda: dense(np.array([[np.nan, 1.0], [np.inf, -2.0]])),
}
