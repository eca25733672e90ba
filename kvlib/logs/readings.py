"""Readings: what one line says, number by number, as printed and as meant."""

from dataclasses import dataclass

from kvlib.logs.digits import shown
from kvlib.units import UNITS
from kvlib.wording import sentence

__all__ = ["Field", "Reading", "explain", "in_short"]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One number of a line: as printed, and its value in bytes, seconds, B/s or a plain count."""

    name: str
    printed: str  # "53.18 GB"
    unit: str  # the unit that is meant, "GiB"; empty for a plain count
    value: int | float  # in base units
    half: float  # half of the last printed digit, in base units
    digits: int = 0  # decimals that were printed
    renamed: bool = False  # whether the printed unit says another size than the one meant
    note: str = ""
    over: str = ""  # what sums it up over many lines, as its slot says

    @property
    def meant(self) -> str:
        """The number with the unit that is meant, and in decimal units where they differ."""
        if not self.unit:
            return self.printed
        text = shown(self.value, self.unit, self.digits)
        if UNITS[self.unit].kind in ("bytes", "rate"):
            text += f" ({shown(self.value, self.unit.replace('iB', 'B'))})"
        return text


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one line says: the engine, what kind of line it is, and its numbers."""

    engine: str
    what: str
    says: str
    line: int  # of the text, from 1
    fields: tuple[Field, ...]
    dtype: str = ""  # of a pool, where it is printed
    note: str = ""
    crosses: str = ""  # of a transfer: what the bytes cross, if not the link of a hand-off
    source: str = ""

    def get(self, name: str) -> Field | None:
        """Return the number of that name, None if the line does not hold it."""
        return next((field for field in self.fields if field.name == name), None)

    def __getitem__(self, name: str) -> Field:
        """Return the number of that name. Raises KeyError if the line does not hold it."""
        field = self.get(name)
        if field is None:
            raise KeyError(name)
        return field


def explain(reading: Reading) -> tuple[str, ...]:
    """Return sentences that say what a line means, number by number.

    >>> from kvlib.logs import read_log
    >>> (reading,) = read_log("INFO Memory pool end. avail mem=1.68 GB")
    >>> explain(reading)[1]
    'left: printed 1.68 GB, meant 1.68 GiB (1.80 GB).'
    """
    sentences = [f"Line {reading.line:,}, {reading.engine}: {reading.says}."]
    for field in reading.fields:
        if field.renamed:
            text = f"{field.name}: printed {field.printed}, meant {field.meant}"
        else:
            text = f"{field.name}: {field.meant}"
        sentences.append(text + (f"; {field.note}." if field.note else "."))
    if reading.note:
        sentences.append(f"{sentence(reading.note)}.")
    return tuple(sentences)


def in_short(reading: Reading) -> str:
    """Return one sentence with a line's numbers: for a line of a kind that was explained before.

    >>> from kvlib.logs import read_log
    >>> (reading,) = read_log("INFO Memory pool end. avail mem=1.68 GB")
    >>> in_short(reading)
    'Line 1, SGLang: left 1.68 GiB (1.80 GB).'
    """
    said = ", ".join(f"{field.name} {_bare(field)}" for field in reading.fields)
    return f"Line {reading.line:,}, {reading.engine}: {said}."


def _bare(field: Field) -> str:
    """Return the number without a unit that its name says already."""
    return field.meant.removesuffix(" tokens") if "tokens" in field.name else field.meant
