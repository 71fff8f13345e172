"""Cause: what made a number nan or infinite, told apart by code and put in words."""

from __future__ import annotations

from vjpcli.explanation.findings.trails import Stop
from vjpcli.graph.node import Node
from vjpcli.record import record

CODES = {
    # A value went wrong on the way forward.
    "nan-in-input": "an input holds nan, and everything that reads it becomes nan",
    "inf-in-input": "an input holds an infinity",
    "log-of-zero": "the logarithm of 0 is -inf, and its slope there is infinite",
    "outside-domain": "a function was given a number for which it has no real value",
    "edge-of-domain": "a function is infinite at the edge of its domain",
    "division-by-zero": "a number other than 0 was divided by 0",
    "zero-over-zero": "0/0 is not a number",
    "inf-over-inf": "inf/inf is not a number",
    "inf-minus-inf": "inf - inf is not a number",
    "zero-times-inf": "0 times inf is not a number",
    "nan-of-infinities": "an operation made nan of infinities",
    "softmax-of-infinities": "a softmax of infinities alone is undefined",
    "overflow": "a result is larger than the dtype can hold",
    "empty-reduction-nan": "an operation reduced an empty array",
    "one-element-std": "a spread divides by N - ddof, and that is 0",
    "singular-matrix": "a matrix has no inverse",
    # The value may be fine: it went wrong on the way back.
    "nan-untaken-branch": "where() sends 0 to an untaken branch, and 0 times inf is nan",
    "nan-masking": "a mask multiplies by 0, and 0 times inf is nan",
    "nan-zero-seed": "the seed is 0 where a slope is infinite, and 0 times inf is nan",
    "nan-zero-times-inf": "an adjoint of 0 meets an infinite slope",
    "nan-inf-times-zero": "an infinite slope is followed by a slope of 0",
    "inf-slope": "a slope is infinite",
    "nan-slope": "a slope is not a number",
    "log-of-negative-base": "the slope of a**b for b needs log(a), and a is negative",
    "repeated-eigenvalues": "the slopes of eigenvectors divide by the gaps between eigenvalues",
    "overflow-backward": "adjoint times slope is larger than the dtype can hold",
    # The seed itself.
    "nan-in-seed": "the seed holds nan",
    "inf-in-seed": "the seed holds an infinity",
}
"""Every kind of cause: its stable code, and what it means."""


@record
class Cause:
    """Why a number is not finite.

    Attributes:
        code: stable name of the kind of cause.
        reason: in a few words, to stand after "x.grad[0] is nan: ".
        culprit: the node that the first caret stands under.
        label: the words beside that caret.
        also: further nodes with carets, and the words beside them.
        words: the whole story in one sentence, or "".
        forward: the values that went wrong, in the order of the walk.
        back: the hand-overs that did, in theirs.
        numbers: its facts by name.
        root: for a value that went wrong: the first node that did, and the code of that; None
            where it happened on the way back only.
        notes: further lines.
    """

    code: str
    reason: str
    culprit: Node
    label: str
    also: tuple[tuple[Node, str], ...] = ()
    words: str = ""
    forward: tuple[Stop, ...] = ()
    back: tuple[Stop, ...] = ()
    numbers: tuple[tuple[str, object], ...] = ()
    root: tuple[Node, str] | None = None
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[Node, str]:
        """Equal for two numbers that went wrong for the same reason at the same place.

        An infinity of the way back may be seen as such in one entry, as nan in the next.
        """
        if self.forward and self.root is not None:
            return self.root
        code = "inf-slope" if self.code == "nan-inf-times-zero" else self.code
        return self.culprit, code
