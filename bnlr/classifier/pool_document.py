"""The networks of a pool in a classifier's file.

"log_loss"   of the pool on folds left out, null where there were none
"members"    [{"weight": …, "structure": …, "discretize": …, "penalty_center": …, "penalty": …,
              "log_loss": …}, …], the best first

The first member's network is that of the file; each of the others has beside these what
`member_document` tells of a network.
"""

from dataclasses import fields
from math import isnan, nan

from bnlr.classifier.input.features import is_text
from bnlr.classifier.member import Member
from bnlr.classifier.member_document import MEMBER_KEYS, member_to_content, read_member
from bnlr.classifier.pool.pool import FACTS, Pool, PoolMember
from bnlr.errors import ModelFileError
from bnlr.io.models.fields import Fields, as_list, as_object, is_double, require_keys

_TEXTS = ("structure", "discretize", "penalty_center")


def pool_to_content(pool: Pool | None) -> Fields | None:
    """Return what a file holds of a pool, None without any.

    Raises
    ------
    ModelFileError
        States that JSON cannot carry.
    """
    if pool is None:
        return None
    first, *others = pool.members
    members = [_facts(first), *({**_facts(one), **member_to_content(one, None)} for one in others)]
    return {"log_loss": _or_none(pool.log_loss), "members": members}


def _facts(member: PoolMember) -> Fields:
    facts = {name: getattr(member, name) for name in FACTS}
    return {**facts, "log_loss": _or_none(member.log_loss)}


def _or_none(loss: float) -> float | None:
    return None if isnan(loss) else loss


def content_to_pool(value: object, best: Member, where: str) -> Pool | None:
    """Read a pool, whose first network is ``best``.

    Raises
    ------
    ModelFileError
        With the place of what is wrong.
    """
    if value is None:
        return None
    content = as_object(value, where)
    require_keys(content, ("log_loss", "members"), where)
    first, *others = as_list(content["members"], f"{where}.members") or [None]
    members = [_member(as_object(first, f"{where}.members[0]"), best, f"{where}.members[0]")]
    for place, other in enumerate(others, 1):
        here = f"{where}.members[{place}]"
        fields_of = as_object(other, here)
        require_keys(fields_of, (*FACTS, *MEMBER_KEYS), here)
        member, _ = read_member(fields_of, here)
        _check_alike(member, best, here)
        members.append(_member({name: fields_of[name] for name in FACTS}, member, here))
    return Pool(tuple(members), _loss(content["log_loss"], f"{where}.log_loss"))


def _member(facts: Fields, member: Member, where: str) -> PoolMember:
    require_keys(facts, FACTS, where)
    structure, discretize, center = (_text(facts[name], f"{where}.{name}") for name in _TEXTS)
    return PoolMember(
        **{part.name: getattr(member, part.name) for part in fields(Member)},
        weight=_positive(facts["weight"], f"{where}.weight"),
        structure=structure,
        discretize=discretize,
        penalty_center=center,
        penalty=_number(facts["penalty"], f"{where}.penalty"),
        log_loss=_loss(facts["log_loss"], f"{where}.log_loss"),
    )


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not is_text(value):
        raise ModelFileError(f"{where} must be a text")
    return value


def _number(value: object, where: str) -> float:
    if not is_double(value):
        raise ModelFileError(f"{where} must be a number")
    return float(value)


def _positive(value: object, where: str) -> float:
    if _number(value, where) <= 0:
        raise ModelFileError(f"{where} must be above 0")
    return _number(value, where)


def _loss(value: object, where: str) -> float:
    return nan if value is None else _number(value, where)


def _check_alike(member: Member, best: Member, where: str) -> None:
    """Refuse another class, other columns, or columns that are not read in the same way."""
    if member.network.structure.class_name != best.network.structure.class_name:
        raise ModelFileError(f"{where}.network has another class")
    if set(member.cut_points) != set(best.cut_points):
        raise ModelFileError(f"{where}.cut_points must be of the columns that the first cuts")
    if member.missing_states != best.missing_states:
        raise ModelFileError(f"{where}.missing_states must be those of the first")
    if _labels(member) != _labels(best):
        raise ModelFileError(f"{where}.network must have the nodes and labels of the first")


def _labels(member: Member) -> dict[str, tuple[object, ...] | None]:
    """{node: its labels}, None of a column that is cut."""
    cuts = member.cut_points
    return {
        node: None if node in cuts else labels for node, labels in member.network.states.items()
    }
