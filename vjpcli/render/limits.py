"""How much a screen shows unless all is asked for; beyond, the rest is left out with a count."""

MOST_ROWS = 16
"""Rows of a Jacobian."""

MOST_PASSES = 4
"""Seeds beside each other, one pass each."""

MOST_LINES = 48
"""Lines of a Jacobian with everything under its rows."""

UNLIMITED_COLUMNS = 64
"""Columns where the page has no width."""
