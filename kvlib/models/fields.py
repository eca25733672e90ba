"""Fields: typed, recorded access to one config. What was not read can then be judged.

A family's reader asks for each field by name and says what it must be. `finish` then looks at
every name that nobody asked for: unless it is known to leave the cache alone (`known.harmless`) or
says nothing, the config is refused, because a structure that was not understood has no number.
"""

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from kvlib import _check
from kvlib.models._read import CALL, label
from kvlib.models.known import harmless, silent
from kvlib.payload import MOST

MOST_LAYERS = 10**5
WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2}  # bytes of the dtypes that states come in
UNKNOWN = "this reader does not know it: leave it out if it does not shape the cache"


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The values of one config (or of a section of it), its family and what was read and noted."""

    values: Mapping[str, Any]
    place: str = ""  # "text_config." inside that section
    family: str = ""
    read: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)  # what the model's source has to say

    def name(self, key: str) -> str:
        """Return `key` as messages call it: with its place, on one line, not too long."""
        return self.place + label(key)

    def get(self, key: str) -> Any:
        """Return the value of `key`, None if it is missing or null."""
        self.read.add(key)
        return self.values.get(key)

    def ignore(self, *keys: str) -> None:
        """Note that this family knows `keys` and that they do not shape its cache."""
        self.read.update(keys)

    def refuse(self, key: str, rule: str, hint: str = "") -> NoReturn:
        """Raise ValueError: `key` breaks `rule`."""
        value = self.values.get(key)
        if value is not None:
            raise ValueError(_check.wrong(CALL, self.name(key), rule, value, hint))
        found = "null" if key in self.values else "nothing"
        hint = f"; {hint}" if hint else ""
        raise ValueError(f"{CALL}: {self.name(key)} must be {rule}, got {found}{hint}")

    def count(
        self, key: str, default: int | None = None, minimum: int = 1, maximum: int = MOST
    ) -> int:
        """Return the whole number under `key`; `default` stands in where it is missing, not null.

        Raises TypeError if it is no whole number (NumPy's integers are), ValueError otherwise.
        """
        value = self.get(key)
        if value is None:
            if default is None or key in self.values:
                self.refuse(key, "given")
            return default
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(_check.wrong_type(CALL, self.name(key), "a whole number", value))
        return _check.whole(CALL, self.name(key), int(value), minimum=minimum, maximum=maximum)

    def optional(self, key: str) -> int | None:
        """Return the count under `key`, None if it is missing or null."""
        return None if self.get(key) is None else self.count(key)

    def layers(self, key: str = "num_hidden_layers") -> int:
        """Return the number of layers."""
        return self.count(key, maximum=MOST_LAYERS)

    def flag(self, key: str, default: bool = False) -> bool:
        """Return the truth value under `key`; null is false, refused where the default is true."""
        value = self.get(key)
        if value is None:
            if default and key in self.values:
                self.refuse(key, "true or false")
            return default
        return _check.kind(CALL, self.name(key), value, bool, "true or false")

    def same(self, value: int, *keys: str) -> None:
        """Refuse if one of `keys` is stated and is not `value`: two names for one thing."""
        for key in keys:
            if self.get(key) is not None and self.count(key) != value:
                self.refuse(key, f"{value}, as its other name says")

    def multiple(self, key: str, value: int, of: str, divisor: int, hint: str = "") -> int:
        """Return `value` / `divisor`, refusing a remainder."""
        if value % divisor:
            rule = f"a multiple of {of} = {divisor}"
            raise ValueError(_check.wrong(CALL, self.name(key), rule, value, hint))
        return value // divisor

    def items(self, key: str, length: int, allowed: Iterable[Any], what: str) -> list | None:
        """Return the list under `key` (None if not stated): `length` of the `allowed` values."""
        values = self.get(key)
        if values is None:
            return None
        _check.kind(CALL, self.name(key), values, list | tuple, f"a list of {length} {what}")
        if len(values) != length:
            got = f"{len(values)} entries"
            raise ValueError(f"{CALL}: {self.name(key)} must have {length} entries, got {got}")
        allowed = list(allowed)
        for index, value in enumerate(values):
            if not any(type(value) is type(a) and value == a for a in allowed):
                rule = " or ".join(str(a) for a in allowed)
                name = f"{self.name(key)}[{index}]"
                raise ValueError(_check.wrong(CALL, name, rule, value))
        return list(values)

    def width(self, key: str, default: int) -> int:
        """Return the bytes of one element of the dtype named under `key`."""
        value = self.get(key)
        if value is None:
            return default
        _check.kind(CALL, self.name(key), value, str, "the name of a dtype")
        if value.removeprefix("torch.") not in WIDTHS:
            self.refuse(key, " or ".join(WIDTHS))
        return WIDTHS[value.removeprefix("torch.")]

    def section(self, key: str) -> "Fields":
        """Return the mapping under `key`, with the same care."""
        if self.get(key) is None:
            self.refuse(key, "given")
        values = _check.kind(CALL, self.name(key), self.get(key), Mapping, "a JSON object")
        return Fields(values=values, place=f"{self.name(key)}.", notes=self.notes)

    def finish(self, *, known: bool = True) -> None:
        """Refuse a name that nobody read and that says something, unless it is a harmless one.

        In a section that only shapes the cache (`known` is false) no name is harmless.
        """
        for key, value in self.values.items():
            _check.kind(CALL, "a field's name", key, str, "text")
            if key in self.read or silent(key, value) or (known and harmless(key)):
                continue
            self.refuse(key, "absent", UNKNOWN)
