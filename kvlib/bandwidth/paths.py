"""Links and paths: the rate that bytes get, and the least time that they take.

A rate is in bytes per second, in one direction. A link has three of them, each at most the one
before: the number on its label, what is left for payload after encoding and framing, and one
user's part of that. A path has the rates of its slowest hop. A path with unequal users is a
question for `sharing`.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES, link_rate_of, seconds_of

__all__ = ["Link", "Path", "framing_efficiency", "transfer_rate", "transfer_seconds"]

MOST_USERS = 1_000_000
MOST_PACKET = 1_000_000_000  # bytes

# Bytes of a packet beside its payload, on Ethernet with IPv4 and without VLAN tags.
FRAME_OVERHEAD = 8 + 14 + 4 + 12  # preamble, header, checksum, gap. Source: IEEE 802.3
TCP_OVERHEAD = FRAME_OVERHEAD + 20 + 20  # IP, TCP without options. Source: RFC 791, RFC 9293
ROCE_OVERHEAD = FRAME_OVERHEAD + 20 + 8 + 12 + 4  # IP, UDP, BTH, ICRC. Source: RoCEv2 annex


@dataclass(frozen=True, kw_only=True)
class Link:
    """One hop: its nominal rate in B/s, one direction, and what stands between it and a user.

    `efficiency` is the fraction of the line that carries payload; `users` is how many equal
    users, this one included, move bytes at the same time. Raises TypeError or ValueError, for a
    rate below 1,000 B/s as well.

    >>> from kvlib.units import Gbit_s
    >>> Link(name="NIC", rate=200 * Gbit_s, users=5).effective_rate
    5000000000.0
    """

    name: str
    rate: float
    efficiency: float = 1.0
    users: int = 1
    source: str = ""

    def __post_init__(self) -> None:
        _check.kind("Link", "name", self.name, str, "text")
        _check.kind("Link", "source", self.source, str, "text")
        for name in ("rate", "efficiency", "users"):
            value = getattr(self, name)
            if _check.is_array(value):
                hint = "for a sweep give transfer_seconds an array of rates"
                raise TypeError(_check.wrong_type("Link", name, "one number", value, hint))
        rate = link_rate_of("Link", "rate", self.rate)
        efficiency = float(_check.number("Link", "efficiency", self.efficiency, above=0, maximum=1))
        users = _check.whole("Link", "users", self.users, minimum=1, maximum=MOST_USERS)
        for name, value in (("rate", rate), ("efficiency", efficiency), ("users", users)):
            object.__setattr__(self, name, value)

    @property
    def payload_rate(self) -> float:
        """The rate in B/s that is left for payload, all users together."""
        return self.rate * self.efficiency

    @property
    def effective_rate(self) -> float:
        """The rate in B/s that one of the equal users gets."""
        return self.payload_rate / self.users


@dataclass(frozen=True, kw_only=True)
class Path:
    """The hops that bytes cross one after the other; the slowest sets the pace.

    Raises TypeError or ValueError for hops that are no tuple of one or more links.

    >>> from kvlib.bandwidth import LINKS
    >>> from kvlib.units import GB_s
    >>> path = Path(hops=(LINKS["PCIe Gen4 x16"], LINKS["400 Gb/s Ethernet"]))
    >>> path.slowest, round(path.effective_rate / GB_s, 1)
    ('PCIe Gen4 x16', 31.5)
    """

    hops: tuple[Link, ...]

    def __post_init__(self) -> None:
        _check.kind("Path", "hops", self.hops, tuple, "a tuple of links")
        for hop in self.hops:
            _check.kind("Path", "hops", hop, Link, "a tuple of links")
        if not self.hops:
            raise ValueError("Path: hops must hold at least one link, got none")

    @property
    def nominal_rate(self) -> float:
        """The smallest number on a label along the path, in B/s."""
        return min(hop.rate for hop in self.hops)

    @property
    def payload_rate(self) -> float:
        """The smallest rate left for payload along the path, in B/s, all users together."""
        return min(hop.payload_rate for hop in self.hops)

    @property
    def effective_rate(self) -> float:
        """The rate in B/s that one transfer gets: the B of the bound."""
        return min(hop.effective_rate for hop in self.hops)

    @property
    def slowest(self) -> str:
        """The name of the hop with the smallest effective rate; the first of equals."""
        return min(self.hops, key=lambda hop: hop.effective_rate).name


def transfer_seconds(n_bytes: int, rate: float) -> float:
    """Return the seconds that `n_bytes` take at `rate` B/s: a lower bound, payload alone.

    Arrays broadcast. Raises TypeError or ValueError for a size that is no count of bytes or a
    rate that is no finite number of at least 1,000 B/s.

    >>> from kvlib.units import GB_s, GiB, ms
    >>> round(transfer_seconds(1 * GiB, 25 * GB_s) / ms, 2)
    42.95
    """
    call = "transfer_seconds"
    n_bytes = _check.whole(call, "n_bytes", n_bytes, maximum=MOST_BYTES)
    rate = link_rate_of(call, "rate", rate)
    _check.together(call, {"n_bytes": n_bytes, "rate": rate})
    return n_bytes / rate


def transfer_rate(n_bytes: int, seconds: float) -> float:
    """Return the rate in B/s at which `n_bytes` moved in `seconds`.

    Arrays broadcast. Raises TypeError or ValueError if either is no size or no time.

    >>> from kvlib.units import GB_s, GiB, ms
    >>> round(transfer_rate(1 * GiB, 42.95 * ms) / GB_s, 2)
    25.0
    """
    call = "transfer_rate"
    n_bytes = _check.whole(call, "n_bytes", n_bytes, maximum=MOST_BYTES)
    seconds = seconds_of(call, "seconds", seconds)
    _check.together(call, {"n_bytes": n_bytes, "seconds": seconds})
    return n_bytes / seconds


def framing_efficiency(packet_payload_bytes: int, overhead_bytes: int) -> float:
    """Return the fraction of a line that carries payload, packet after packet.

    Arrays broadcast. Raises TypeError or ValueError if either is no count.

    >>> round(framing_efficiency(1460, TCP_OVERHEAD), 4)
    0.9493
    >>> round(framing_efficiency(4096, ROCE_OVERHEAD), 4)
    0.9804
    """
    call = "framing_efficiency"
    payload = _check.whole(call, "packet_payload_bytes", packet_payload_bytes, 1, MOST_PACKET)
    overhead = _check.whole(call, "overhead_bytes", overhead_bytes, maximum=MOST_PACKET)
    _check.together(call, {"packet_payload_bytes": payload, "overhead_bytes": overhead})
    return payload / (payload + overhead)
