"""Recurrent cells: one step of an LSTM, a GRU or a plain recurrent network.

The gates stand in the rows of the weights in PyTorch's order, each as many rows as the hidden
state has entries.
"""

from __future__ import annotations

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.neural import activation, rectifier
from vjpcli.ops.numbers import hyperbolic
from vjpcli.ops.shapes import indexing
from vjpcli.ops.shapes.splitting import chunk

CELL_ORDER = ("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh")
CELL_KEYWORDS = {"hidden": "hx", "state": "hx"}


def _gates(name, count, input, hidden, w_ih, w_hh, b_ih, b_hh):
    """What the input and the hidden state contribute to the gates, biases included.

    Errors: shape-mismatch.
    """
    if hidden.ndim == 0 or input.ndim == 0 or hidden.shape[:-1] != input.shape[:-1]:
        raise fail(
            "shape-mismatch",
            f"{name} takes an input [N, k] with a hidden state [N, h], not "
            f"{shape_text(input.shape)} with {shape_text(hidden.shape)}",
        )
    rows, length = count * hidden.shape[-1], input.shape[-1]
    wanted = {
        "w_ih": (w_ih, (rows, length)),
        "w_hh": (w_hh, (rows, hidden.shape[-1])),
        "b_ih": (b_ih, (rows,)),
        "b_hh": (b_hh, (rows,)),
    }
    for operand, (given, fitting) in wanted.items():
        if given is not None and given.shape != fitting:
            raise fail(
                "shape-mismatch",
                f"{name} needs `{operand}` of shape {shape_text(fitting)} here, not "
                f"{shape_text(given.shape)}",
                notes=(
                    f"{rows} rows are {count} for each of {hidden.shape[-1]} hidden entries"
                    if count > 1
                    else "one row for each hidden entry",
                ),
            )
    linear = OPERATIONS["linear"]
    return linear(input, w_ih, b_ih), linear(hidden, w_hh, b_hh)


@operation(
    argument_order=CELL_ORDER,
    keyword_aliases=CELL_KEYWORDS,
    samples=(
        sample((2, 3), (2, 2, 2), (8, 3), (8, 2), (8,), (8,)),
        sample((3,), (2, 1), (4, 3), (4, 1)),
        sample((1, 2), (2, 1, 2), (8, 2), (8, 2), None, (8,)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 2), (8, 3), (8, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (3, 2, 2), (8, 3), (8, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 2, 2), (6, 3), (6, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 2, 2), (8, 3), (8, 2), (2,)), "shape-mismatch"),
    ),
    analytic=True,
)
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a long short-term memory: the next hidden state and the next cell state.

    Shapes:  input [N, k], hx (h, c) of [N, n] each, w_ih [4n, k], w_hh [4n, n], b_ih and b_hh [4n]
             -> (h, c), each [N, n]; without N for a single example
    Kinks:   none
    Source:  Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997), with forget gate:
             c' = f c + i g and h' = o tanh(c'), the rows of the weights in the order i, f, g, o
    Example: vjp explain "torch.lstm_cell(x, (h, c), W, U)[0]" x=[[1,2]] h=[[0.5]] c=[[0.1]]
             W=[[1,0],[0,1],[1,1],[1,-1]] U=[[1],[0],[1],[0]]
    """
    if hx.ndim == 0 or hx.shape[0] != 2 or hx.ndim != input.ndim + 1:
        raise fail(
            "shape-mismatch",
            "lstm_cell takes two states (h, c), each with as many axes as the input of shape "
            f"{shape_text(input.shape)}",
            notes=("torch.lstm_cell(x, (h, c), w_ih, w_hh)",),
        )
    hidden, cell = _both(hx)
    of_input, of_hidden = _gates("lstm_cell", 4, input, hidden, w_ih, w_hh, b_ih, b_hh)
    write, keep, new, read = chunk(of_input + of_hidden, chunks=4, axis=-1)
    sigmoid, tanh = activation.sigmoid, hyperbolic.tanh
    cell = sigmoid(keep) * cell + sigmoid(write) * tanh(new)
    return sigmoid(read) * tanh(cell), cell


def _both(pair):
    """The two states of a pair; where the pair was written as (h, c), the very nodes."""
    if pair.operation is OPERATIONS["stack"] and pair.static["axis"] == -pair.ndim:
        return pair.operands
    return tuple(indexing.index(pair, index=(place,)) for place in range(2))


@operation(
    argument_order=CELL_ORDER,
    keyword_aliases=CELL_KEYWORDS,
    samples=(
        sample((2, 3), (2, 2), (6, 3), (6, 2), (6,), (6,)),
        sample((3,), (1,), (3, 3), (3, 1)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2,), (6, 3), (6, 2)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 2), (8, 3), (8, 2)), "shape-mismatch"),
    ),
    analytic=True,
)
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a gated recurrent unit: the next hidden state.

    Shapes:  input [N, k], hx [N, n], w_ih [3n, k], w_hh [3n, n], b_ih and b_hh [3n] -> [N, n];
             without N for a single example
    Kinks:   none
    Source:  Cho et al. (2014) as PyTorch has it: h' = (1 - z) n + z h with
             n = tanh(W_n x + b + r (U_n h + d)), the rows of the weights in the order r, z, n
    Example: vjp explain "torch.gru_cell(x, h, W, U)" x=[[1,2]] h=[[0.5]] W=[[1,0],[0,1],[1,1]]
             U=[[1],[0],[1]]
    """
    of_input, of_hidden = _gates("gru_cell", 3, input, hx, w_ih, w_hh, b_ih, b_hh)
    reset, update, new = chunk(of_input, chunks=3, axis=-1)
    reset_h, update_h, new_h = chunk(of_hidden, chunks=3, axis=-1)
    sigmoid = activation.sigmoid
    new = hyperbolic.tanh(new + sigmoid(reset + reset_h) * new_h)
    update = sigmoid(update + update_h)
    return (1 - update) * new + update * hx


PLAIN_SAMPLES = (
    sample((2, 3), (2, 2), (2, 3), (2, 2), (2,), (2,)),
    sample((3,), (1,), (1, 3), (1, 1)),
)
PLAIN_REFUSALS = (
    Refusal(sample((2, 3), (2,), (2, 3), (2, 2)), "shape-mismatch"),
    Refusal(sample((2, 3), (2, 2), (3, 3), (3, 2)), "shape-mismatch"),
)


@operation(
    argument_order=CELL_ORDER,
    keyword_aliases=CELL_KEYWORDS,
    samples=PLAIN_SAMPLES,
    refuses=PLAIN_REFUSALS,
    analytic=True,
)
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent network: tanh of what input and hidden state contribute.

    Shapes:  input [N, k], hx [N, n], w_ih [n, k], w_hh [n, n], b_ih and b_hh [n] -> [N, n];
             without N for a single example
    Kinks:   none
    Source:  Elman, "Finding Structure in Time" (1990): tanh(W x + b + U h + d)
    Example: vjp explain "torch.rnn_tanh_cell(x, h, W, U)" x=[[1,2]] h=[[0.5]] W=[[1,-1]] U=[[1]]
    """
    of_input, of_hidden = _gates("rnn_tanh_cell", 1, input, hx, w_ih, w_hh, b_ih, b_hh)
    return hyperbolic.tanh(of_input + of_hidden)


@operation(
    argument_order=CELL_ORDER,
    keyword_aliases=CELL_KEYWORDS,
    samples=PLAIN_SAMPLES,
    refuses=PLAIN_REFUSALS,
)
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent network: relu of what input and hidden state contribute.

    Shapes:  input [N, k], hx [N, n], w_ih [n, k], w_hh [n, n], b_ih and b_hh [n] -> [N, n];
             without N for a single example
    Kinks:   that of relu
    Source:  Elman, "Finding Structure in Time" (1990): relu(W x + b + U h + d)
    Example: vjp explain "torch.rnn_relu_cell(x, h, W, U)" x=[[1,2]] h=[[2]] W=[[1,-1]] U=[[1]]
    """
    of_input, of_hidden = _gates("rnn_relu_cell", 1, input, hx, w_ih, w_hh, b_ih, b_hh)
    return rectifier.relu(of_input + of_hidden)
