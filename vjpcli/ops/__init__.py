"""All operations, one declaration each. Every module in this folder is discovered, none is listed.

To add an operation, add a declaration to one file (see `declaration.py`); its name in the
language, its rule, its documentation and its tests follow from that.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
