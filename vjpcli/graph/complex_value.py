"""A complex value: two real nodes, the real part and the imaginary part.

The graph and the engine know real numbers alone. What a function makes of complex values is
written in real operations (`ops/spectra/complex_meaning.py`), so that gradients, Jacobians, second
derivatives and the check need to know nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from vjpcli.errors import Fix, Source, Span, VjpError, fail
from vjpcli.graph.node import Node, Shape
from vjpcli.graph.operators import Operators
from vjpcli.record import record

HOW_TO_MAKE_REAL = (
    "abs(...), angle(...), (...).real and (...).imag are real; view_as_real(...) keeps both parts"
)


@record(eq=False)
class Complex(Operators):
    """real + i imaginary; both parts have the same shape.

    Attributes:
        real: node of the real part.
        imaginary: node of the imaginary part.
    """

    real: Node
    imaginary: Node

    @property
    def shape(self) -> Shape:
        """Shape of the value."""
        return self.real.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.real.ndim

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.real.size


PARTS = ("real", "imag")


def names_of_parts(name: str) -> tuple[str, str]:
    """What the parts of the value called `name` are called."""
    real, imaginary = (f"{name}.{part}" for part in PARTS)
    return real, imaginary


def complex_values(inputs: Mapping[str, Node]) -> dict[str, Complex]:
    """Name -> the complex value of which both parts are among the inputs."""
    found = {}
    for name in inputs:
        whole, _, part = name.partition(".")
        if part == PARTS[0]:
            real, imaginary = names_of_parts(whole)
            found[whole] = Complex(inputs[real], inputs[imaginary])
    return found


def complex_output(source: Source, span: Span, inputs: Collection[str]) -> VjpError:
    """The refusal of a complex output, which stands at `span` in a program with these inputs."""
    text = source.text
    kind, _, name = source.origin.partition(" of ")
    if kind == "value":
        parts = f"{name}_real=... and {name}_imag=..."
        return fail(
            "complex-number",
            "this value is complex, and inputs are real",
            source=source,
            span=span,
            notes=(f"give two inputs, {parts}, and write {name}_real + 1j*{name}_imag for {name}",),
        )
    if kind == "--seed":
        return fail(
            "complex-number", "this seed is complex, and seeds are real", source=source, span=span
        )
    if "j" in inputs and re.search(r"\dj\b", text):
        return fail(
            "complex-output",
            "the output is complex: a number before j makes it imaginary",
            source=source,
            span=span,
            notes=("a product with the input j is written 2*j",),
        )
    real = f"abs({text[span.start : span.end]})"
    what = "loss" if source.origin == "--loss" else "output"
    return fail(
        "complex-output",
        f"the {what} is complex, and only a real one has a gradient",
        source=source,
        span=span,
        notes=(HOW_TO_MAKE_REAL,),
        fix=Fix(text[: span.start] + real + text[span.end :], replaces=text),
    )


def real_needed(what: str) -> VjpError:
    """The refusal of a complex value where only a real one has a meaning."""
    return fail("complex-operand", f"{what}, and this is complex", notes=(HOW_TO_MAKE_REAL,))


def drops_imaginary_part(method: str) -> VjpError:
    """The refusal of a conversion to real numbers that would lose half of the value."""
    return fail(
        "complex-operand",
        f"{method} would drop the imaginary part",
        notes=("the real part alone is written z.real",),
    )
