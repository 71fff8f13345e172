"""Records: frozen data that costs little at start-up."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, field, replace

import pytest

from vjpcli import Diagnostic, explain
from vjpcli.errors import Label, Source, Span
from vjpcli.record import bulk_record, record


@record
class Place:
    """A record of the tests."""

    name: str
    heights: list[int] = field(default_factory=list)
    note: str = ""

    @property
    def highest(self) -> int:
        return max(self.heights)


@bulk_record
class Point:
    """Made in bulk."""

    x: int
    y: int = 0


def test_field_is_set_once():
    place = Place("hill", [3, 5])
    with pytest.raises(FrozenInstanceError):
        place.name = "valley"
    with pytest.raises(FrozenInstanceError):
        del place.name
    with pytest.raises(FrozenInstanceError):
        place.highest = 9
    assert (place.name, place.highest) == ("hill", 5)


def test_there_is_no_other_field():
    with pytest.raises(AttributeError):
        Place("hill").height = 3
    with pytest.raises(AttributeError):
        Point(1).z = 3


def test_what_the_library_returns_does_not_change():
    explanation = explain("a*2", {"a": 1}, formulas=False)
    with pytest.raises(FrozenInstanceError):
        explanation.dtype = "float32"
    with pytest.raises(FrozenInstanceError):
        Diagnostic("code", "message").code = "other"


def test_replace_makes_another_record():
    place = Place("hill", [3])
    other = replace(place, note="steep")
    assert (place.note, other.note, other.heights) == ("", "steep", [3])


def test_default_list_is_not_shared():
    assert Place("a").heights is not Place("b").heights


def test_records_are_equal_by_their_fields():
    assert Place("hill", [3]) == Place("hill", [3])
    assert Place("hill", [3]) != Place("hill", [4])
    assert Source("a*2") != Label(Span(0, 1))
    assert {Source("a*2"), Source("a*2"), Source("b")} == {Source("a*2"), Source("b")}


def test_record_made_in_bulk_is_equal_to_itself_only():
    assert len({Point(1), Point(1)}) == 2


def test_record_shows_its_fields():
    assert repr(Place("hill", [3])) == "Place(name='hill', heights=[3], note='')"
    assert repr(Point(1, 2)) == "Point(x=1, y=2)"


def sent(one):
    return pickle.loads(pickle.dumps(one))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, sent])
def test_record_can_be_copied_and_sent_to_another_process(copied):
    other = copied(Place("hill", [3]))
    assert (other.name, other.heights, other.note) == ("hill", [3], "")
