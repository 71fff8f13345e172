"""`vjp grad`: the gradients alone, for scripts."""

from __future__ import annotations

from vjpcli.asking import explained, settings_from, write
from vjpcli.options import (
    Debug,
    DtypeName,
    Expression,
    Json,
    Like,
    Loss,
    Output,
    Quiet,
    Rng,
    Seeds,
    Values,
    Wrt,
)
from vjpcli.streams import the_streams

SUMMARY = "Print the gradients alone, in full precision."
EPILOG = 'Example:  vjp grad "3*a+2*b*b+log(c)" a=1,2,3 b=3,4,5 c=6,7,8 --seed 0.1,1,0.0001'


def grad(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    json: Json = False,
    output: Output = None,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Print the gradients alone: bare numbers, one leaf a line, full precision."""
    from vjpcli.explanation.build import Contents  # noqa: PLC0415
    from vjpcli.explanation.problem import require_leaf  # noqa: PLC0415
    from vjpcli.render.json import render_json  # noqa: PLC0415

    settings = settings_from(dtype, like, wrt, rng, strict=True, needs_seed=True)
    nothing_else = Contents(
        jacobian=False, formulas=False, steps=False, check=False, findings=False, sentences=False
    )
    problem, explanation = explained(expression, values, seed, loss, settings, nothing_else)
    require_leaf(problem)
    streams = the_streams()
    if not quiet:
        streams.notes(explanation.diagnostics)
    if output is not None:
        write(output, explanation.gradients, lambda: render_json(explanation), problem)
    elif json:
        streams.answer(render_json(explanation))
    else:
        from vjpcli.render.plain import render_gradients  # noqa: PLC0415

        streams.answer(render_gradients(explanation))
