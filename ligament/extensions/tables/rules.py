"""Rules between the members of one object: findings, JSON Schema, and a test of regular objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeAlias

from ligament.extensions.fields import Fields

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays

Json = dict[str, Any]
Names: TypeAlias = Collection[str]
Values = dict[str, Any]
"""Values of attributes."""

Default = Callable[[str], str]
"""Names the default of a regular member in a condition."""


def translate(condition: Json, present: Callable[[str], str], value: str = "") -> str:
    """Return the Python condition that a JSON Schema of the members of an object holds.

    `present` says that a member is there; `value` is the code of the JSON, to compare words.
    """
    tests = []
    for keyword, content in condition.items():
        match keyword:
            case "required":
                tests += [present(name) for name in content]
            case "not":
                tests.append(f"not {translate(content, present, value)}")
            case "anyOf" | "oneOf":
                of = [translate(each, present, value) for each in content]
                tests.append(" or ".join(of) if keyword == "anyOf" else f"{' + '.join(of)} == 1")
            case "if":
                then = translate(condition["then"], present, value)
                tests.append(f"not {translate(content, present, value)} or {then}")
            case "properties":
                for name, of in content.items():
                    equals = of and f"{value}.get({name!r}) == {of['const']!r}"
                    tests.append(equals or f"not {present(name)}")
    return f"({' and '.join(f'({test})' for test in tests)})"


class Rule(ABC):
    """What members mean for each other; a rule states all of its aspects or says that it has none.

    `before` and `after` are the findings, `odd` the test of regular objects, `schema` the
    conditions. A rule forgotten in `odd` would let wrong objects pass, so each must answer it.
    """

    def before(self, fields: Fields) -> Names:
        """Report what the presence of members says, and return those to leave unread."""
        return ()

    def after(self, fields: Fields, values: Values, faulty: Names, arrays: Arrays) -> bool:
        """Report what the values say, and change them; False if the object is of no use.

        `faulty` are the JSON names of rows that gave findings.
        """
        return True

    @abstractmethod
    def odd(self, names: Names, default: Default) -> str:
        """Return the Python condition on which a regular object `plain` needs the careful reader.

        "" is never; `names` are the members that regular objects may have.
        """

    def schema(self, names: Names) -> list[Json]:
        """Return conditions on an object with some of the members."""
        return []


class Presence(Rule):
    """What must be present: the condition of its schema, which regular objects are tested for."""

    def odd(self, names: Names, default: Default) -> str:
        def present(name: str) -> str:
            return f"(plain.{name} is not {default(name)})"

        return " or ".join(f"not {translate(each, present)}" for each in self.schema(names))


class Says(Rule):
    """What a function says of the values, and what schemas say.

    The function changes values, and returns False if the object is of no use. It serves both
    readers: for a regular object, whatever it asks or reports leaves that to the careful one.
    """

    def __init__(self, say: Callable[[Any, Values], bool | None], *conditions: Json) -> None:
        self.say, self._conditions = say, conditions

    def after(self, fields: Fields, values: Values, faulty: Names, arrays: Arrays) -> bool:
        return self.say(fields, values) is not False

    def odd(self, names: Names, default: Default) -> str:
        """Never: the function tells."""
        return ""

    def schema(self, names: Names) -> list[Json]:
        return [*self._conditions]


class OneOf(Presence):
    """Exactly one of some members; the first one present counts.

    `first_is_required`: if there is none, the first is missing.
    """

    def __init__(self, *names: str, first_is_required: bool = False) -> None:
        self.names, self.first_is_required = names, first_is_required

    def before(self, fields: Fields) -> Names:
        present = [name for name in self.names if name in fields]
        if not present and self.first_is_required:
            fields.required(self.names[0])
        elif len(present) != 1:
            fields.one_of(*self.names)
        return present[1:]

    def schema(self, names: Names) -> list[Json]:
        known = [name for name in self.names if name in names]
        if len(known) == 1:
            return [{"required": known}]
        return [{"oneOf": [{"required": [name]} for name in known]}]


class FirstOf(OneOf):
    """Names of one required member, of which the first present counts."""

    def before(self, fields: Fields) -> Names:
        fields.first_of(self.names)
        return [name for name in self.names if name in fields][1:]

    def schema(self, names: Names) -> list[Json]:
        return super().schema(names) if len(self.names) > 1 else []


class Excludes(Presence):
    """Members beside any of which others have no meaning; each other with its remedy."""

    def __init__(self, *names: str, **others: str) -> None:
        self.names, self.others = names, others

    def before(self, fields: Fields) -> Names:
        if not any(name in fields for name in self.names):
            return ()
        for other, remedy in self.others.items():
            fields.misplaced(other, remedy)
        return self.others

    def schema(self, names: Names) -> list[Json]:
        given = [{"required": [name]} for name in self.names if name in names]
        others = {other: False for other in self.others if other in names}
        if not given or not others:
            return []
        condition: Json = given[0] if len(given) == 1 else {"anyOf": given}
        return [{"if": condition, "then": {"properties": others}}]


class NotBoth(Presence):
    """Two members of which only one should be present; both are read.

    Without a code, the reader of a row with both names reports it.
    """

    def __init__(self, one: str, other: str, code: str = "") -> None:
        self.one, self.other, self._code = one, other, code

    def before(self, fields: Fields) -> Names:
        if self._code and self.one in fields and self.other in fields:
            fields.report(self._code, f"found both {self.one} and {self.other}", "use one of them")
        return ()

    def schema(self, names: Names) -> list[Json]:
        return [{"not": {"required": [self.one, self.other]}}]


class Needs(Rule):
    """A member that says nothing without another; reported unless it is faulty itself."""

    def __init__(self, name: str, other: str, *, code: str, message: str, remedy: str) -> None:
        self.name, self.other = name, other
        self._code, self._message, self._remedy = code, message, remedy

    def after(self, fields: Fields, values: Values, faulty: Names, arrays: Arrays) -> bool:
        if self.name in fields and self.other not in fields and self.name not in faulty:
            fields.report(self._code, self._message, self._remedy, self.name)
        return True

    def odd(self, names: Names, default: Default) -> str:
        other = f"plain.{self.other} is {default(self.other)}"
        return f"{other} and plain.{self.name} is not {default(self.name)}"
