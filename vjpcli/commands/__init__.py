"""Commands that have a file of their own; `cli.py` registers them."""
