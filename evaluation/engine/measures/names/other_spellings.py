"""Other spellings of measures and their parameters, chiefly those of ir_measures, and the spellings of Runpool for them."""

from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.names.syntax import Assignments
from evaluation.engine.measures.parameters import TRUTHS, MeasureNameError

_PARAMETERS = {"cutoff": "k", "gains": "gain", "max_grade": "max_rel"}
_GAIN_OF_DCG = {"log2": "linear", "exp-log2": "exponential"}
_WITHOUT_MEANING = {("SDCG", "dcg", "log2")}
"""Measure, parameter and value where the measure has no other form."""

SYNONYMS = {
    **dict.fromkeys(("hit", "hits", "hr", "hitrate"), "Success"),
    **dict.fromkeys(("f", "f1", "f1score", "fscore", "fmeasure"), "SetF"),
}
"""Names that others give to measures, without case, hyphens and underscores: hints only, since they mean many things."""


def canonical_measure(head: str, written: Assignments) -> tuple[str, Assignments]:
    """Give the name of the measure and its parameters where a parameter makes one measure into another."""
    if head == "NumRet" and "rel" in written:
        return "num_rel_ret", written
    if head == "SetP" and "relative" in written:
        others = {name: value for name, value in written.items() if name != "relative"}
        relative = TRUTHS.get(written["relative"].lower())
        if relative is None:
            raise MeasureNameError(f"relative={written['relative']}: expected true or false.")
        return "SetRelP" if relative else "SetP", others
    return head, written


def canonical_parameter(definition: Definition, name: str, value: str) -> tuple[str, str] | None:
    """Give the name and the value of the parameter as they are spelled here; None where they make no difference."""
    if definition.parameter(name):
        return name, value
    if name in _PARAMETERS and definition.parameter(_PARAMETERS[name]):
        return _PARAMETERS[name], value
    if name == "dcg" and definition.name in ("DCG", "nDCG"):
        if value not in _GAIN_OF_DCG:
            raise MeasureNameError(f"dcg={value}: expected {' or '.join(_GAIN_OF_DCG)}.")
        return "gain", _GAIN_OF_DCG[value]
    if name == "min_rel" and value == "0" and definition.parameter("max_rel"):
        return None
    return None if (definition.name, name, value) in _WITHOUT_MEANING else (name, value)
