"""The library: what the commands do, with arrays in and data out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vjpcli.errors import Source, Span, fail
from vjpcli.explanation.build import Contents, build
from vjpcli.explanation.model import Explanation
from vjpcli.explanation.problem import Problem, Settings, pose
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.parser.seeds import SeedRequest, parse_seed
from vjpcli.parser.values import GivenValue, parse_values

if TYPE_CHECKING:
    from vjpcli.explanation.checking import CheckReport

Array = NDArray[Any]
Dtype = Literal["float64", "float32"]
Engine = Literal["torch", "jax", "autograd"]


def explain(
    expression: str,
    values: Mapping[str, ArrayLike | str] | None = None,
    *,
    seed: ArrayLike | str | Mapping[str, ArrayLike | str] | None = None,
    seeds: Sequence[ArrayLike | str] | None = None,
    loss: str | None = None,
    wrt: Sequence[str] | None = None,
    dtype: Dtype = "float64",
    like: Engine = "torch",
    rng: int = 0,
    strict: bool = False,
    jacobian: bool = True,
    formulas: bool = True,
    check: bool = True,
    max_jacobian: int = 1_000_000,
) -> Explanation:
    """The gradient of `expression`, explained: what `vjp explain` prints, as data.

    Args:
        expression: a program, e.g. "3*a + log(c)"; the last statement is the output.
        values: name -> number, nested list or array; a text is read as on the command line
            ("linspace(0, 1, 5)", "@x.npy"). A name without a value gets a stand-in.
        seed: one weight per output entry, in the output's shape; or "ones", "row:0", "each";
            or a mapping from named values to their seeds. None for a scalar output.
        seeds: several seeds, one backward pass each; the gradients accumulate.
        loss: an expression of the output from which the seed is derived.
        wrt: names of the leaves; the other inputs are data.
        dtype: in which everything is computed.
        like: whose convention holds at kinks and ties.
        rng: seed of the random numbers in randn and rand.
        strict: a missing value is an error instead of a stand-in.
        jacobian: whether to compute the Jacobian.
        formulas: whether to print formulas (imports SymPy).
        check: whether to compare with difference quotients.
        max_jacobian: entries above which a leaf's Jacobian is left out (None in the result).

    Returns:
        The Explanation: gradients have the shape of their leaf, Jacobians output.shape +
        leaf.shape.

    Raises:
        VjpError: whatever is wrong with the input, as one Diagnostic.
    """
    if not isinstance(max_jacobian, int | np.integer):
        raise fail("option-value", f"max_jacobian is a whole number, not {_kind(max_jacobian)}")
    problem = _problem(
        expression, values, seed, seeds, loss, _settings(wrt, dtype, like, rng, strict)
    )
    return build(
        problem,
        Contents(jacobian=jacobian, formulas=formulas, check=check, largest_jacobian=max_jacobian),
    )


def grad(
    expression: str,
    values: Mapping[str, ArrayLike | str],
    *,
    seed: ArrayLike | str | Mapping[str, ArrayLike | str] | None = None,
    seeds: Sequence[ArrayLike | str] | None = None,
    loss: str | None = None,
    wrt: Sequence[str] | None = None,
    dtype: Dtype = "float64",
    like: Engine = "torch",
    rng: int = 0,
) -> dict[str, Array]:
    """The gradients alone: leaf name -> array of the leaf's shape.

    Every value must be given, and a seed unless the output has one entry. Arguments are those
    of `explain`.

    Raises:
        VjpError: whatever is wrong with the input, as one Diagnostic.
    """
    settings = _settings(wrt, dtype, like, rng, strict=True, needs_seed=True)
    problem = _problem(expression, values, seed, seeds, loss, settings)
    nothing_else = Contents(
        jacobian=False, formulas=False, steps=False, check=False, findings=False, sentences=False
    )
    return dict(build(problem, nothing_else).gradients)


def jac(
    expression: str,
    values: Mapping[str, ArrayLike | str],
    *,
    wrt: Sequence[str] | None = None,
    dtype: Dtype = "float64",
    like: Engine = "torch",
    rng: int = 0,
) -> dict[str, Array]:
    """The Jacobian of each leaf: leaf name -> array of shape output.shape + leaf.shape.

    Raises:
        VjpError: whatever is wrong with the input; jacobian-too-large above 10^8 entries.
    """
    problem = _problem(
        expression, values, None, None, None, _settings(wrt, dtype, like, rng, strict=True)
    )
    contents = Contents(
        formulas=False,
        steps=False,
        check=False,
        findings=False,
        sentences=False,
        largest_jacobian=10**8,
    )
    explanation = build(problem, contents)
    found = {}
    for leaf, entries in explanation.jacobian[explanation.output.name].items():
        if entries is None:
            raise fail("jacobian-too-large", f"the Jacobian of {leaf} has more than 10^8 entries")
        found[leaf] = entries
    return found


def hessian(
    expression: str,
    values: Mapping[str, ArrayLike | str],
    *,
    wrt: Sequence[str] | None = None,
    dtype: Dtype = "float64",
    like: Engine = "torch",
    rng: int = 0,
) -> dict[str, dict[str, Array]]:
    """Second derivatives of an output with one entry: leaf -> leaf -> array.

    A block has shape leaf.shape + leaf.shape.

    Raises:
        VjpError: whatever is wrong with the input; hessian-output when the output has several
            entries.
    """
    from vjpcli.explanation.products import hessian as blocks_of  # noqa: PLC0415

    settings = _settings(wrt, dtype, like, rng, strict=True)
    return blocks_of(_problem(expression, values, None, None, None, settings), 10**8)


def check(
    expression: str,
    values: Mapping[str, ArrayLike | str],
    *,
    seed: ArrayLike | str | Mapping[str, ArrayLike | str] | None = None,
    seeds: Sequence[ArrayLike | str] | None = None,
    loss: str | None = None,
    wrt: Sequence[str] | None = None,
    dtype: Dtype = "float64",
    like: Engine = "torch",
    rng: int = 0,
    expect: Mapping[str, ArrayLike | str] | None = None,
    methods: Sequence[str] | None = None,
    rtol: float | None = None,
) -> CheckReport:
    """The gradients checked by means that do not use the rules: what `vjp check` prints, as data.

    Args:
        expression: as in `explain`; so are the others that are not told of here.
        values: every value must be given.
        seed: needed unless the output has one entry.
        seeds: several seeds, whose gradients accumulate.
        loss: its seed is checked as well.
        wrt: names of the leaves.
        dtype: of the gradients; what they are checked against is always in float64.
        like: whose convention holds at kinks; others are told, not counted as wrong.
        rng: seed of the random numbers in randn and rand.
        expect: leaf name -> a gradient from elsewhere, to be compared.
        methods: some of "differences", "complex-step", "sympy", "torch", "jax", "autograd";
            None for all that are installed.
        rtol: relative error up to which numbers agree.

    Raises:
        VjpError: whatever is wrong with the input, as one Diagnostic.
    """
    from vjpcli.explanation.verify import verify  # noqa: PLC0415  (only here)

    settings = _settings(wrt, dtype, like, rng, strict=True, needs_seed=True)
    problem = _problem(expression, values, seed, seeds, loss, settings)
    if methods is not None:
        methods = [methods] if isinstance(methods, str) else _several("methods", methods)
    claims = [(name, {name: _given(name, value)}) for name, value in (expect or {}).items()]
    return verify(problem, methods=methods, expected=claims, rtol=rtol)


def _whole(name: str, value: Any, low: int, high: int) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        what = value if is_whole else _kind(value)
        raise fail("option-value", f"{name} is a whole number from {low} to {high}, not {what}")


def to_text(explanation: Explanation, width: int | None = 80, digits: int = 4) -> str:
    """The screen of `vjp explain` as text without colour; `width` None sets no limit.

    Raises:
        VjpError: of a width below 24 or of digits beyond 17.
    """
    from vjpcli.render.text import render_explanation  # noqa: PLC0415  (only where it is shown)

    if width is not None:
        _whole("width", width, 24, 10_000)
    _whole("digits", digits, 1, 17)
    return render_explanation(explanation, width=width, digits=digits)


def to_json(explanation: Explanation) -> str:
    """The document of `vjp explain --json` (schema vjp/1)."""
    from vjpcli.render.json import render_json  # noqa: PLC0415  (only where it is shown)

    return render_json(explanation)


def _settings(
    wrt: Sequence[str] | None,
    dtype: str,
    like: str,
    rng: int,
    strict: bool,
    needs_seed: bool = False,
) -> Settings:
    if wrt is not None and not isinstance(wrt, str):
        wrt = [_text("a name in wrt", name) for name in _several("wrt", wrt)]
    if isinstance(wrt, str):
        wrt = [name.strip() for name in wrt.split(",")]
    for option, value, choices in (
        ("dtype", dtype, ("float64", "float32")),
        ("like", like, ("torch", "jax", "autograd")),
    ):
        if value not in choices:
            raise fail("option-value", f"{option} is one of {', '.join(choices)}, not {value!r}")
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise fail("option-value", f"rng is a whole number from 0, not {rng!r}")
    return Settings(
        dtype=dtype,
        wrt=None if wrt is None else tuple(wrt),
        strict=strict,
        needs_seed=needs_seed,
        random_seed=int(rng),
        like=like,
    )


def _problem(
    expression: str,
    values: Mapping[str, ArrayLike | str] | None,
    seed: ArrayLike | str | Mapping[str, ArrayLike | str] | None,
    seeds: Sequence[ArrayLike | str] | None,
    loss: str | None,
    settings: Settings,
) -> Problem:
    _text("expression", expression)
    if loss is not None:
        _text("loss", loss)
    if values is not None and not isinstance(values, Mapping):
        raise fail("option-value", f"values maps names to values, and {_kind(values)} does not")
    given = {_text("a name", name): _given(name, value) for name, value in (values or {}).items()}
    if isinstance(seed, Mapping):
        for name in seed:
            _text("a name in seed", name)
    if seed is not None and seeds is not None:
        raise fail("seed-twice", "give either one seed or several seeds, not both")
    if isinstance(seed, Mapping):
        requests = [_request(value, name) for name, value in seed.items()]
    elif seeds is not None:
        requests = [_request(value) for value in _several("seeds", seeds)]
    else:
        requests = [] if seed is None else [_request(seed)]
    return pose(expression, given, requests, loss, settings)


def _text(what: str, value: str) -> str:
    if not isinstance(value, str):
        raise fail("option-value", f"{what} is a text, not {_kind(value)}")
    return value


def _several(what: str, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise fail("option-value", f"{what} is a list, not {_kind(values)}")
    return list(values)


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def _given(name: str, value: ArrayLike | str) -> GivenValue:
    if isinstance(value, str):
        return parse_values([f"{name}={value}"])[name]
    text = f"{name}=..."
    array = _real_array(value, f"the value of {name}")
    return GivenValue(name, array, "given", "", None, Source(text, f"value of {name}"), Span(0, 0))


def _request(value: ArrayLike | str, output: str | None = None) -> SeedRequest:
    if isinstance(value, str):
        return parse_seed(value if output is None else f"{output}={value}")
    array = _real_array(value, "the seed")
    text = np.array2string(array, separator=",", threshold=12)
    source = Source(text, "seed")
    return SeedRequest("numbers", text, source, Span(0, len(text)), output, array)


def _real_array(value: ArrayLike, what: str) -> NDArray[np.float64]:
    """`value` as float64, read-only.

    Errors: ragged-rows, not-a-number, complex-number, too-many-axes.
    """
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise fail("not-a-number", f"{what} has masked entries, which have no value")
    try:
        array = np.array(value)
    except ValueError:
        raise fail("ragged-rows", f"{what} has rows of different lengths") from None
    if array.dtype.kind == "O" and all(isinstance(one, Real) for one in array.flat):
        try:
            array = array.astype(np.float64)
        except OverflowError:
            raise fail("not-a-number", f"{what} is too large for a float64") from None
    if array.dtype.kind == "c":
        raise fail(
            "complex-number",
            f"{what} is complex, and values and seeds are real",
            notes=("give its two parts as two inputs, and write a + 1j*b in the expression",),
        )
    if array.dtype.kind not in "biuf":
        raise fail("not-a-number", f"{what} holds {array.dtype}, not real numbers")
    refuse_oversized(array.shape)
    with np.errstate(over="ignore"):
        real = array.astype(np.float64)
    real.setflags(write=False)
    return real
