"""The pages as plain data: all that a renderer of `vjp rule` or of the documentation shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from vjpcli.graph.facts import Elsewhere, Kink
from vjpcli.record import record


@record
class RuleFormula:
    """What the rule says of one operand.

    Attributes:
        operand: its name.
        slope: ∂y/∂x of one entry, for an operation that acts entry by entry, else "".
        adjoint: the contribution to the operand's adjoint in terms of the output's, ȳ.
    """

    operand: str
    slope: str
    adjoint: str


@record
class OperationPage:
    """Everything that is said of one operation.

    Attributes:
        name: its own name in the language.
        family: the file below `ops/` that declares it.
        summary: one sentence.
        remarks: further sentences of the declaration, or "".
        call: how it is typed: "sum(x, axis=None, keepdims=False)".
        operators: the operator it may be written with, if any.
        spellings: library -> its names there, as people write them: "np.log", "c.log()".
        other_names: names that this program takes besides those.
        shapes, kinks, source, units: the fixed lines of the declaration; "" where missing.
        example: a command line.
        static: static argument -> default ("required" where there is none).
        keywords: another spelling of a static argument -> its name here.
        library_defaults: library -> static defaults that differ there.
        convention: the remark that is printed with a result, filled with the defaults, or "".
        formulas: one per operand that the rule gives something to.
        formula_for: the operands that a formula in array notation holds for, or "".
        code: the rule's own source text, "" where there is none.
        code_like: engine -> the rule taken under `--like`, where it differs; "torch 2.13" -> the
            one that gives PyTorch's own numbers where those are wrong.
        made_of: the source text of a composite's body, "" for a primitive.
        kink_places: the kinks as data.
        elsewhere: where other engines fail.
        several: names of the results, where there are several.
        flat: whether its slope is 0 wherever it has one.
        building_block: whether no library offers it: a step of other operations.
    """

    name: str
    family: str
    summary: str
    remarks: str
    call: str
    operators: tuple[str, ...]
    spellings: Mapping[str, tuple[str, ...]]
    other_names: tuple[str, ...]
    shapes: str
    kinks: str
    source: str
    units: str
    example: str
    static: Mapping[str, str]
    keywords: Mapping[str, str]
    library_defaults: Mapping[str, Mapping[str, Any]]
    convention: str
    formulas: tuple[RuleFormula, ...]
    formula_for: str
    code: str
    code_like: Mapping[str, str]
    made_of: str
    kink_places: tuple[Kink, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    several: tuple[str, ...] = ()
    flat: bool = False
    building_block: bool = False


@record
class CodePage:
    """What a diagnostic code means.

    Attributes:
        code: the stable name of the fault or finding.
        room: the file of `codes/` that holds the page: where such a fault arises.
        summary: one sentence.
        remarks: why it happens and what to do, or "".
        example: a command line that produces it; "" where `no_example` says why there is none.
        no_example: the reason, or "".
        files: name -> content of the files that the example reads.
        stdin: what the example reads on standard input.
    """

    code: str
    room: str
    summary: str
    remarks: str = ""
    example: str = ""
    no_example: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""


@record
class FamilyList:
    """The operations of one family in the order of their declarations.

    Attributes:
        section: the part of mathematics or of a library that the family belongs to.
        title: of the family.
        operations: their pages' names and summaries: (name, aliases, summary).
    """

    section: str
    title: str
    operations: tuple[tuple[str, tuple[str, ...], str], ...]


@record
class Found:
    """What a search finds.

    Attributes:
        words: that were typed.
        families: of operations, with those found.
        codes: the pages of the diagnostic codes found.
    """

    words: str
    families: tuple[FamilyList, ...]
    codes: tuple[CodePage, ...]

    def __bool__(self) -> bool:
        return bool(self.families or self.codes)
