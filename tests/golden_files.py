"""Golden files: readable text in tests/golden, compared whole.

`python -m pytest tests/test_screens.py tests/test_errors.py --rewrite` writes them anew; the
difference is then read as text before it is committed.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def compare(name: str, text: str, rewrite: bool) -> None:
    """Fails where `text` is not what the file of this name holds."""
    path = FOLDER / name
    text = text.rstrip("\n") + "\n"
    if rewrite:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"{path} does not exist; --rewrite makes it"
    assert text == path.read_text(encoding="utf-8")
