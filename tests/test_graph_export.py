"""The graph as text, DOT and JSON: the same nodes, the same numbers."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

from vjpcli import explain
from vjpcli.render.dot import render_dot
from vjpcli.render.json import explanation_document
from vjpcli.render.text import render_explanation

EXPRESSION = "h = a*b; y = h + a"
VALUES = {"a": [1.0, 2.0], "b": [3.0, 4.0]}


def made(expression: str = EXPRESSION, values=VALUES, **options):
    return explain(expression, values, **{"seed": "ones", "check": False, **options})


def graph(explanation, **options) -> str:
    text = render_explanation(explanation, show_graph=True, **{"width": 80, **options})
    return text[text.index("Graph, from") :]


def test_a_node_has_its_own_name_with_shape_value_and_adjoint():
    text = graph(made())
    found = re.search(r"  h = a\*b   \[2\]\n    value    3  8\n    adjoint  1  1\n", text)
    assert found, text


def test_an_edge_has_the_slope_and_what_it_sends_back():
    text = graph(made())
    assert re.search(r"↑ a  × b  3  4\n +↑ b  × a  1  2", text)


def test_what_the_edges_of_a_leaf_send_back_adds_up_to_its_gradient():
    explanation = made("h = x*x; y = h*x + x", {"x": [2.0, -1.0]})
    sent = [edge.sent for edge in explanation.edges if explanation.steps[edge.source].name == "x"]
    assert len(sent) == 4
    np.testing.assert_allclose(sum(sent), explanation.gradients["x"], rtol=1e-12)


def test_every_edge_ends_at_a_step_that_names_its_operand():
    explanation = made("y = x*x; y = y + x; sum(y)", {"x": [1.0, 2.0]}, seed=None)
    for edge in explanation.edges:
        source, target = explanation.steps[edge.source], explanation.steps[edge.target]
        assert edge.source < edge.target
        assert source.name in target.operands


def test_data_has_edges_without_a_gradient():
    text = graph(made("a*b", wrt=["a"]))
    assert re.search(r"↑ b  no gradient", text)
    assert "style=dashed" in render_dot(made("a*b", wrt=["a"]))


def test_dot_holds_every_node_and_edge():
    text = render_dot(made())
    assert text.startswith('digraph "h = a*b; y = h + a" {') and text.endswith("}")
    assert r'n2 [label="h = a*b\n[2]\nvalue  3  8\nadjoint  1  1"]' in text
    assert r'n0 -> n2 [label="× b\n3  4"]' in text
    assert len(re.findall(r"^  n\d+ \[", text, re.MULTILINE)) == 4
    assert text.count("->") == 4


def test_dot_escapes_what_would_end_a_label():
    text = render_dot(made('float("2")*a  # \\', {"a": [1.0]}))
    for line in text.splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0, line


def test_dot_counts_the_entries_that_it_leaves_out():
    assert "… 94 more" in render_dot(made("2*x", {"x": np.arange(100.0)}))


def test_ascii_dot_is_ascii():
    assert render_dot(
        made("W @ x", {"W": [[1.0, 2.0]], "x": [1.0, 2.0]}), ascii_only=True
    ).isascii()


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it():
    done = subprocess.run(
        ["dot", "-Tsvg"], input=render_dot(made()), text=True, capture_output=True, check=False
    )
    assert done.returncode == 0 and "<svg" in done.stdout


def test_json_has_the_same_edges():
    explanation = made()
    document = explanation_document(explanation)
    assert document["edges"][0] == {"source": 0, "target": 2, "how": "× b", "sent": [3.0, 4.0]}
    assert [step["saves"] for step in document["steps"]] == [[], [], ["a", "b"], []]


def test_several_passes_do_not_claim_what_an_edge_sends():
    explanation = made("2*x", {"x": [1.0, 2.0]}, seed=None, seeds=["1,1", "2,2"])
    assert [edge.sent for edge in explanation.edges] == [None]
    assert "↑ x  × 2" in graph(explanation)


def test_without_one_backward_pass_there_is_no_graph():
    explanation = made("2*x", {"x": [1.0, 2.0]}, seed="each")
    text = render_explanation(explanation, width=80, show_graph=True)
    assert "No graph to show: --seed each stands for many backward passes" in text
    assert "--graph" not in render_explanation(explanation, width=80)


def test_the_graph_is_offered_and_not_offered_again():
    assert "--graph" in render_explanation(made(), width=80)
    assert "--graph" not in graph(made())
