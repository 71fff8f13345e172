"""Runs a graph on SymPy: the backward graph gives formulas, the forward graph a second opinion.

Only this folder imports sympy, and only when a formula is asked for. An array is one symbol:
entry-wise operations act on it as on a number. An operation that mixes entries becomes a symbol
of its own, named by what it prints as (`W.T @ seed`), so that SymPy can still tidy up what stands
around it.

`expressions.py` makes SymPy expressions of nodes, `printing.py` text of them, `written.py` holds
the formulas that people read, `second_opinion.py` the derivatives that use no rule.
"""

from vjpcli.engine.symbolic.second_opinion import derivatives, entries, tree_size, value
from vjpcli.engine.symbolic.written import (
    Formula,
    contribution_text,
    exceptions,
    formulas,
    rule_text,
    slope_text,
)

__all__ = [
    "Formula",
    "contribution_text",
    "derivatives",
    "entries",
    "exceptions",
    "formulas",
    "rule_text",
    "slope_text",
    "tree_size",
    "value",
]
