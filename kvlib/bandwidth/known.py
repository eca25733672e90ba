"""Known links: nominal rates of one direction, each with its source.

A label counts different things. Ethernet and InfiniBand labels are data rates, encoding already
taken off. A PCIe label counts transfers on a lane, so its encoding is an efficiency here. An
NVLink label adds both directions up, so half of it stands here. Framing depends on the packet
size and is in none of them; `dataclasses.replace` gives a link the efficiency that
`framing_efficiency` finds.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kvlib.bandwidth.paths import Link
from kvlib.units import GB_s, Gbit_s

__all__ = ["LINKS"]

_PCIE = "PCI Express Base Specification 3.0, 4.0, 5.0: 8, 16, 32 GT/s a lane, 128b/130b"
_ETHERNET = "IEEE 802.3: the MAC data rate"
_INFINIBAND = "InfiniBand Trade Association, roadmap: data rate of a 4x port"
_NVLINK = "NVIDIA, NVLink and NVSwitch: 600, 900, 1,800 GB/s a GPU, both directions together"


def _links() -> list[Link]:
    links = []
    for name, transfers in (("Gen3", 8), ("Gen4", 16), ("Gen5", 32)):
        line, coding = 16 * transfers * Gbit_s, 128 / 130  # 16 lanes
        link = Link(name=f"PCIe {name} x16", rate=line, efficiency=coding, source=_PCIE)
        links.append(link)
    for bits in (100, 200, 400, 800):
        links.append(Link(name=f"{bits} Gb/s Ethernet", rate=bits * Gbit_s, source=_ETHERNET))
    for name, bits in (("HDR", 200), ("NDR", 400), ("XDR", 800)):
        links.append(Link(name=f"InfiniBand {name}", rate=bits * Gbit_s, source=_INFINIBAND))
    for generation, label in ((3, 600), (4, 900), (5, 1800)):
        rate = label // 2 * GB_s  # one direction
        links.append(Link(name=f"NVLink {generation}", rate=rate, source=_NVLINK))
    return links


LINKS: Mapping[str, Link] = MappingProxyType({link.name: link for link in _links()})
