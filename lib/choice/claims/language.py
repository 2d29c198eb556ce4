"""The small language that claims are checked in: arithmetic over terms of the catalogue, and nothing else.

`1 - spec('mi300x', 'tdp_w') / spec('h100-sxm', 'tdp_w')` is a formula. It is parsed by Python's own parser and walked
here; only numbers, texts, + - * / **, the functions of FUNCTIONS and the terms of the term rooms are known.
"""

import ast
import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from lib.catalog import Catalog
from lib.choice.claims import measured_terms, model_terms, money_terms, spec_terms, word_terms
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value, number, shown
from lib.errors import InputError, LibError, UnknownNameError
from lib.units import GB, GIB

Builder = Callable[..., Term]

TERMS: Final[Mapping[str, Builder]] = {
    **spec_terms.TERMS, **model_terms.TERMS, **money_terms.TERMS, **measured_terms.TERMS, **word_terms.TERMS,
}  # fmt: skip
"""Every word that names something of the catalogue, and the function that looks it up."""

FUNCTIONS: Final[Mapping[str, Callable[[Value], Value]]] = {
    "ceil": lambda value: Value(math.ceil(value.low - 1e-9), math.ceil(value.high - 1e-9)),
    "low": lambda value: number(value.low),
    "high": lambda value: number(value.high),
    "mid": lambda value: number((value.low + value.high) / 2),
    "gib": lambda value: Value(value.low * GB / GIB, value.high * GB / GIB),
}
"""Rounding up, the ends and the middle of a range, and GB in GiB."""

_OPERATORS: Final[Mapping[type, tuple[str, int, Callable[[Value, Value], Value]]]] = {
    ast.Add: (" + ", 1, operator.add),
    ast.Sub: (" − ", 1, operator.sub),
    ast.Mult: (" × ", 2, operator.mul),
    ast.Div: (" / ", 2, operator.truediv),
    ast.Pow: ("^", 4, operator.pow),
}
_ATOM: Final = 9


class MissingValueError(LibError):
    """A formula names something that no source publishes."""


class Evaluated(NamedTuple):
    """A formula's value, its text with the numbers put in, and the terms it named."""

    value: Value
    text: str
    terms: tuple[Term, ...]


class _Part(NamedTuple):
    value: Value
    text: str
    rank: int


def evaluate(catalog: Catalog, formula: str) -> Evaluated:
    """A formula over the catalogue, computed.

    Parameters
    ----------
    catalog : Catalog
        The edition, or one with something changed.
    formula : str
        In the language of this room.

    Returns
    -------
    Evaluated
        Value, text with the numbers put in, terms.

    Raises
    ------
    InputError
        The formula is not one, or divides by 0.
    UnknownNameError
        It names a word, a part, a model or a source that does not exist.
    MissingValueError
        Something that it names is not published.
    """
    terms: list[Term] = []
    part = _walk(catalog, _parsed(formula), terms)
    return Evaluated(part.value, part.text, tuple(terms))


@functools.lru_cache(maxsize=2048)
def _parsed(formula: str) -> ast.expr:
    try:
        return ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InputError("formula", formula, "arithmetic over terms") from error


def _walk(catalog: Catalog, node: ast.expr, terms: list[Term]) -> _Part:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        value = Value(text=node.value) if isinstance(node.value, str) else number(node.value)
        return _Part(value, shown(value), _ATOM)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _walk(catalog, node.operand, terms)
        return _Part(-inner.value, f"−{_wrapped(inner, 3)}", 3)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sign, rank, compute = _OPERATORS[type(node.op)]
        left, right = _walk(catalog, node.left, terms), _walk(catalog, node.right, terms)
        if left.value.is_text or right.value.is_text:
            raise InputError("formula", ast.unparse(node), "numbers on both sides of a sign")
        text = f"{_wrapped(left, rank)}{sign}{_wrapped(right, rank + 1)}"
        return _Part(compute(left.value, right.value), text, rank)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _called(catalog, node.func.id, node.args, terms)
    raise InputError("formula", ast.unparse(node), "numbers, texts, + - * / ** and the words of this language")


def _called(catalog: Catalog, word: str, arguments: list[ast.expr], terms: list[Term]) -> _Part:
    if word in FUNCTIONS and len(arguments) == 1:
        inner = _walk(catalog, arguments[0], terms)
        value = FUNCTIONS[word](inner.value)
        if word == "ceil":
            return _Part(value, f"⌈{inner.text}⌉", _ATOM)
        return _Part(value, shown(value), _ATOM)
    if word not in TERMS:
        raise UnknownNameError("term", word, [*TERMS, *FUNCTIONS])
    given = [one.value for one in arguments if isinstance(one, ast.Constant)]
    if len(given) < len(arguments):
        raise InputError("formula", word, "constants as arguments of a term")
    try:
        term = TERMS[word](catalog, *given)
    except TypeError as error:
        raise InputError("formula", word, "as many arguments as the term takes") from error
    if term.value.is_text and not term.value.text:
        raise MissingValueError(f"{word}{tuple(given)} is not published")
    terms.append(term)
    return _Part(term.value, shown(term.value), _ATOM if term.value.low == term.value.high else 0)


def _wrapped(part: _Part, rank: int) -> str:
    return part.text if part.rank >= rank else f"({part.text})"
