"""What is wrong with a program that Python cannot read, told in the user's terms.

One pass over the tokens, from left to right, knowing at each of them whether a value or an
operator must come next and which brackets are open. The first token that does not fit is the
slip; its neighbours tell of which kind.
"""

from __future__ import annotations

import keyword
import re

from vjpcli.errors import Span, VjpError
from vjpcli.parser import closing, misplaced, neighbours
from vjpcli.parser.place import Bracket, Place
from vjpcli.parser.reading import Reading
from vjpcli.parser.refusals import STATEMENT_WORDS, statement_error
from vjpcli.parser.statements import continued_line
from vjpcli.parser.tokens import CLOSING, Token, tokens

_DEEPEST_BRACKETS = 90
_PREFIX_SIGNS = frozenset("+-~")
_INFIX_SIGNS = frozenset(
    ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>",
     "<", "<=", ">", ">=", "==", "!=")
)  # fmt: skip
_ASSIGNMENTS = frozenset(
    ("=", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", ">>=", "<<=")
)
_INFIX_WORDS = frozenset({"and", "or", "in", "is", "not", "if", "else", "for"})
_VALUE_WORDS = frozenset({"True", "False", "None"})


def diagnose(reading: Reading) -> VjpError | None:
    """The first slip of a program that Python cannot read, or None if none is recognised.

    Errors: comprehension, continued-line, empty-index, if-expression, keyword-as-name,
        mismatched-bracket, number-too-large, positional-after-keyword, semicolon-in-brackets,
        stray-colon, stray-semicolon, too-many-colons, unclosed-bracket, unclosed-quote,
        unmatched-bracket, walrus, and those
        of `neighbours`, `misplaced` and `refusals.statement_error`
    """
    return _Scan(reading).run()


class _Scan:
    """The state of the pass."""

    def __init__(self, reading: Reading) -> None:
        self.place = Place(reading, tokens(reading.text))
        self.value_expected = True
        self.words: list[Token] = []

    def run(self) -> VjpError | None:
        place = self.place
        while place.index < len(place.found):
            token = place.token
            error = (
                self._end_of_statement()
                if token.kind in {"newline", "semicolon"}
                else (self._value() if self.value_expected else self._operator())
            )
            if error is not None:
                return error
            place.index += 1
        return self._end_of_statement() or self._unfinished_words()

    # At a value

    def _value(self) -> VjpError | None:  # noqa: PLR0911 - one return for each kind of token
        place = self.place
        token = place.token
        match token.kind:
            case "number":
                self.value_expected = False
                return neighbours.unreadable_number(place)
            case "string":
                self.value_expected = False
                return None
            case "unclosed":
                return closing.unclosed_quote(place)
            case "name":
                return self._word()
            case "open":
                place.brackets.append(Bracket(place.index, token, follows_value=False))
                return None
            case "close":
                return self._close()
            case "operator":
                return self._sign_at_value()
            case _:
                return self._other()

    def _word(self) -> VjpError | None:  # noqa: PLR0911 - one return for each role of a word
        place, text = self.place, self.place.token.text
        if not keyword.iskeyword(text) or text in _VALUE_WORDS:
            self.value_expected = False
            return None
        if text == "not":
            return None
        following = place.after
        if place.index == place.first:
            starts_statement = following is None or following.kind in {"name", "number", "open"}
            if text == "return" or (text in {"from", "import"} and starts_statement):
                if text != "return":
                    self._skip_statement()
                return None
            if text in STATEMENT_WORDS and (
                starts_statement or (following is not None and following.text == ":")
            ):
                return statement_error(place.reading, text, place.token.span)
        if text == "lambda" and self._is_lambda():
            self._skip_parameters()
            return None
        if text in {"await", "yield"} and following is not None and following.kind == "name":
            return None
        if text in {"and", "or"} and place.before is not None:
            return misplaced.missing_operand(place, at_end=False)
        return closing.keyword_as_name(place)

    def _is_lambda(self) -> bool:
        """Whether parameters and a colon follow, so that `lambda` is not meant as a name."""
        for token in self.place.found[self.place.index + 1 :]:
            if token.text == ":":
                return True
            if token.kind != "name" and token.text not in {",", "*", "**", "="}:
                return False
        return False

    def _skip_parameters(self) -> None:
        while self.place.token.text != ":":
            self.place.index += 1

    def _skip_statement(self) -> None:
        while self.place.after is not None:
            self.place.index += 1
        self.value_expected = False

    def _sign_at_value(self) -> VjpError | None:  # noqa: PLR0911 - one return for each kind of sign
        place = self.place
        token, before, bracket = place.token, place.before, place.bracket
        text = token.text
        if text in _PREFIX_SIGNS:
            return None
        opens = before is not None and (before.kind == "open" or before.text == ",")
        if text in {"*", "**"} and bracket is not None and opens:
            return None
        if text == ":" and bracket is not None and bracket.token.text != "(":
            return self._colon()
        if text in {"|", "||"}:
            return misplaced.bars(place)
        if text == "!":
            return misplaced.exclamation(place, after_value=False)
        if before is None and place.first and text in _INFIX_SIGNS:
            previous = place.at(place.first - 2)
            span = Span(previous.start, previous.end) if previous is not None else None
            if place.found[place.first - 1].kind == "newline":
                return continued_line(place.reading, token.span, span)
        if before is not None and before.text == "%":
            value = place.at(place.index - 2)
            if value is not None and value.kind in {"number", "name"} and text != "%":
                return misplaced.percent_sign(place, before, value)
        if text not in _INFIX_SIGNS and text not in {",", ":", ".", "="}:
            foreign = misplaced.foreign_sign(place)
            if foreign is not None:
                return foreign
        return misplaced.missing_operand(place, at_end=False)

    # At an operator

    def _operator(self) -> VjpError | None:  # noqa: PLR0911 - one return for each kind of token
        place = self.place
        token = place.token
        match token.kind:
            case "name" if token.text in _INFIX_WORDS:
                self.words.append(token)
                self.value_expected = True
                return None
            case "open" if token.text != "{":
                before = place.before
                if before is not None and before.kind == "number" and token.text == "(":
                    return neighbours.implicit_multiplication(place, before)
                place.brackets.append(Bracket(place.index, token, follows_value=True))
                self.value_expected = True
                return None
            case "close":
                return self._close()
            case "operator":
                return self._sign_at_operator()
            case "other":
                return self._other()
            case _:
                return neighbours.value_after_value(place)

    def _sign_at_operator(self) -> VjpError | None:  # noqa: PLR0911 - one return for each kind of sign
        place = self.place
        token, bracket = place.token, place.bracket
        text = token.text
        self.value_expected = True
        if text == ".":
            return self._attribute()
        if text in _INFIX_SIGNS:
            return None
        if text == ",":
            return self._comma()
        if text in _ASSIGNMENTS:
            return self._assignment()
        if text == ":":
            return self._colon()
        if text == ":=":
            return misplaced.walrus(place) if bracket is None else None
        if text == "!":
            return misplaced.exclamation(place, after_value=True)
        return misplaced.foreign_sign(place)

    def _colon(self) -> VjpError | None:
        bracket = self.place.bracket
        if bracket is None or bracket.token.text == "{":
            return None
        if not bracket.is_index:
            return closing.stray_colon(self.place)
        bracket.colons += 1
        return closing.too_many_colons(self.place) if bracket.colons > 2 else None

    def _attribute(self) -> VjpError | None:
        """Step over the name behind a dot."""
        place = self.place
        following = place.after
        if following is None or following.kind != "name":
            if following is not None and following.text.startswith("'"):
                place.index += 1
                return place.error(
                    "prime", "a transpose is written `.T`", following.span,
                    edits=[(Span(following.start, following.start + 1), "T")],
                )  # fmt: skip
            return place.error("missing-operand", "no name stands after `.`")
        self.value_expected = False
        place.index += 1
        return None

    def _comma(self) -> VjpError | None:
        place = self.place
        bracket = place.bracket
        if bracket is not None:
            bracket.colons = 0
        following, equals = place.at(place.index + 1), place.at(place.index + 2)
        if (
            bracket is not None
            and bracket.is_call
            and bracket.keyword_seen
            and following is not None
            and following.kind != "close"
            and following.text not in {"*", "**", ","}
            and (equals is None or equals.text != "=")
        ):
            return closing.positional_after_keyword(place, following)
        return None

    def _assignment(self) -> VjpError | None:
        place = self.place
        bracket = place.bracket
        if bracket is None:
            return misplaced.bad_target(place, place.found[self._target_start() : place.index])
        name, comma = place.before, place.at(place.index - 2)
        is_keyword = (
            place.token.text == "="
            and bracket.is_call
            and name is not None
            and name.kind == "name"
            and comma is not None
            and (comma.text == "," or place.index - 2 == bracket.index)
        )
        if not is_keyword:
            return misplaced.equals_in_bracket(place)
        bracket.keyword_seen = True
        return None

    def _target_start(self) -> int:
        place = self.place
        depth = 0
        for index in range(place.index - 1, place.first - 1, -1):
            token = place.found[index]
            depth += (token.kind == "close") - (token.kind == "open")
            if depth == 0 and token.text == "=":
                return index + 1
        return place.first

    # Anywhere

    def _other(self) -> VjpError | None:
        if self.place.token.text == "\\":
            return misplaced.stray_backslash(self.place)
        return misplaced.foreign_sign(self.place)

    def _close(self) -> VjpError | None:
        place = self.place
        token, bracket, before = place.token, place.bracket, place.before
        if bracket is None:
            return closing.unmatched(place)
        if CLOSING[bracket.token.text] != token.text:
            return closing.mismatched(place, bracket)
        if self.value_expected and before is not None:
            if before is bracket.token:
                if bracket.is_index:
                    return closing.empty_index(place, before)
            elif before.text == ",":
                if place.at(place.index - 2) is bracket.token:
                    return misplaced.missing_operand(place, at_end=True)
            elif before.text != ":":
                return misplaced.missing_operand(place, at_end=True)
        place.brackets.pop()
        self.value_expected = False
        return None

    def _end_of_statement(self) -> VjpError | None:
        """Check that nothing is open or missing where a statement ends."""
        place = self.place
        bracket = place.bracket
        if bracket is not None:
            # Only a semicolon, or the end of the program, can stand here inside a bracket.
            return closing.unfinished_bracket(place, bracket)
        empty = place.index == place.first
        if empty and place.index < len(place.found) and place.token.kind == "semicolon":
            return closing.stray_semicolon(place)
        if not empty and self.value_expected:
            before = place.found[place.index - 1]
            word = before.kind == "name" and before.text != "return"
            if word or before.text not in {",", "return"}:
                return misplaced.missing_operand(place, at_end=True)
        place.first = place.index + 1
        self.value_expected = True
        return None

    def _unfinished_words(self) -> VjpError | None:
        """The error of `a if b` and `x for x in`, which are found by their words alone."""
        place = self.place
        for word in self.words:
            if word.text in {"if", "else"}:
                return place.error(
                    "if-expression",
                    "`if` does not choose entry by entry: where(condition, a, b) does",
                    word.span,
                )
            if word.text == "for":
                return place.error("comprehension", "comprehensions are not run", word.span)
        return None


def too_deep(reading: Reading) -> VjpError:
    """The refusal of an expression with more levels than Python's parser has.

    Errors: expression-too-deep
    """
    # Only the caret depends on this, so quotes and comments need no care, and a megabyte no lexer.
    depth = deepest = place = 0
    for bracket in re.finditer(r"[(\[{]|[)\]}]", reading.text):
        depth += 1 if bracket.group() in CLOSING else -1
        if depth > deepest:
            deepest, place = depth, bracket.start()
    if deepest <= _DEEPEST_BRACKETS:
        lines = re.finditer(r"[^\s;][^\r\n;]*", reading.text)
        place = max(lines, key=lambda line: line.end() - line.start()).start()
    return reading.error(
        "expression-too-deep",
        "the expression has too many levels",
        Span(place, place + 1),
        notes=("give parts of it names: h = ...; y = h + ...",),
    )
