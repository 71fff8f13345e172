"""`python -m vjpcli.ops` writes index.json from the declarations."""

import json
from dataclasses import asdict

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops import INDEX_FILE


def index_text() -> str:
    """The index as it stands in the file."""
    return json.dumps(asdict(OPERATIONS.full_index()), indent=0, sort_keys=True) + "\n"


if __name__ == "__main__":
    INDEX_FILE.write_text(index_text(), encoding="utf-8")
