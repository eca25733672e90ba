"""Ownership: which KV heads a rank holds, and what that makes of a group of layers.

Up to H ranks share H heads out; more ranks than heads hold copies, neighbours the same one. What
has no heads to share out, an MLA latent or an indexer's key, is held whole by every rank.
Recurrent state is shared out by its own heads; Mamba-2 repeats B and C for ranks beyond its groups.
Sources: vLLM 0.33.0, get_num_kv_heads and mamba_utils.py; SGLang 0.5.23, compute_head_slice_params.
"""

from dataclasses import replace

from kvlib import _check
from kvlib._check import one_whole
from kvlib.payload import MOST, Geometry, Group, Recurrent

__all__ = ["MOST_TP", "attention_tp", "copies", "owned_heads", "share", "stage_layers"]

MOST_TP = 1_024  # ranks
LISTED = 6  # sizes that a message names


def owned_heads(kv_heads: int, tp: int, rank: int) -> range:
    """Return the KV heads that one rank of `tp` holds, as a range.

    Raises TypeError or ValueError for what is no count, for a rank that does not exist, and for a
    size that neither divides the heads nor is a multiple of them: it names sizes that work.

    >>> [owned_heads(4, 8, rank).start for rank in range(8)]
    [0, 0, 1, 1, 2, 2, 3, 3]
    >>> owned_heads(8, 2, 1)
    range(4, 8)
    """
    kv_heads, tp = _shared_out("owned_heads", kv_heads, tp)
    rank = one_whole("owned_heads", "rank", rank, maximum=tp - 1)
    first = rank * kv_heads // tp  # r · H / TP, and r // (TP / H) alike
    return range(first, first + max(1, kv_heads // tp))


def copies(kv_heads: int, tp: int) -> int:
    """Return how many ranks of `tp` hold the same head. Raises as `owned_heads` does.

    >>> copies(8, 4), copies(4, 8)
    (1, 2)
    """
    kv_heads, tp = _shared_out("copies", kv_heads, tp)
    return max(1, tp // kv_heads)


def _shared_out(call: str, kv_heads: int, tp: int) -> tuple[int, int]:
    """Return heads and ranks as exact ints, if that many ranks can share the heads out."""
    kv_heads = one_whole(call, "kv_heads", kv_heads, minimum=1, maximum=MOST)
    tp = one_whole(call, "tp", tp, minimum=1, maximum=MOST_TP)
    reason = uneven("tp", kv_heads, tp)
    if reason:
        raise ValueError(f"{call}: {reason}")
    return kv_heads, tp


def uneven(name: str, heads: int, tp: int) -> str:
    """Return why `tp` ranks cannot share out KV heads, and sizes that could; empty if they can."""
    if heads % tp == 0 or tp % heads == 0:
        return ""
    fits = [n for n in range(1, MOST_TP + 1) if heads % n == 0 or n % heads == 0]
    nearest = sorted(sorted(fits, key=lambda n: abs(n - tp))[:LISTED])
    listed = f"{', '.join(map(str, nearest[:-1]))} and {nearest[-1]} work"
    works = listed if len(nearest) > 1 else f"only {nearest[0]} works"
    return f"{name} must be a divisor or a multiple of {heads:,} KV heads, got {tp}; {works}"


def share(group: Group, tp: int) -> Group:
    """Return a group of layers as one rank of `tp` holds it: a group of the same kind.

    Raises TypeError or ValueError for a size that the group cannot be shared out to.

    >>> share(Geometry(layers=94, kv_heads=4, head_dim=128), 8).kv_heads
    1
    """
    _check.kind("share", "group", group, Group, "a group of layers")
    match group:
        case Geometry():
            heads, tp = _shared_out("share", group.kv_heads, tp)
            return replace(group, kv_heads=max(1, heads // tp))
        case Recurrent():
            tp = one_whole("share", "tp", tp, minimum=1, maximum=MOST_TP)
            reason = unshareable("tp", group, tp)
            if reason:
                raise ValueError(f"share: {reason}")
            return _state_share(group, tp)
    one_whole("share", "tp", tp, minimum=1, maximum=MOST_TP)
    return group


def unshareable(name: str, group: Group, tp: int) -> str:
    """Return why `tp` ranks cannot share a group out; empty if they can."""
    match group:
        case Geometry():
            return uneven(name, group.kv_heads, tp)
        case Recurrent():
            heads = group.heads or group.state_elements
            if heads % tp:
                return f"{name} must be a divisor of {heads:,} state heads, got {tp}"
    return ""


def _state_share(group: Recurrent, tp: int) -> Recurrent:
    """Return the recurrent state of one rank; B and C of Mamba-2 are repeated to a pair a rank."""
    repeated = tp - group.conv_groups if group.conv_groups and group.conv_groups % tp else 0
    channels = group.conv_channels + max(0, repeated) * group.group_channels
    return replace(
        group,
        state_elements=group.state_elements // tp,
        conv_channels=max(1, channels // tp) if channels else 0,
        heads=max(1, group.heads // tp) if group.heads else None,
        conv_groups=max(1, group.conv_groups // tp) if group.conv_groups else 0,
    )


def attention_tp(tp: int, dp: int = 1) -> int:
    """Return the ranks that share one request's attention: tp / dp under data-parallel attention.

    Raises TypeError or ValueError for counts that do not divide.

    >>> attention_tp(16, dp=8)
    2
    """
    tp = one_whole("attention_tp", "tp", tp, minimum=1, maximum=MOST_TP)
    dp = one_whole("attention_tp", "dp", dp, minimum=1, maximum=MOST_TP)
    if tp % dp:
        raise ValueError(_check.wrong("attention_tp", "dp", f"a divisor of tp={tp}", dp))
    return tp // dp


def stage_layers(layers: int, stages: int = 1) -> tuple[range, ...]:
    """Return the layers of each pipeline stage, as ranges.

    Where they do not divide, the stages before the last hold one more, from the back to the front.
    Raises TypeError or ValueError for more stages than layers. Source: vLLM, get_pp_indices.

    >>> [len(stage) for stage in stage_layers(61, 4)]
    [15, 15, 16, 15]
    """
    layers = one_whole("stage_layers", "layers", layers, minimum=1, maximum=MOST)
    stages = one_whole("stage_layers", "stages", stages, minimum=1, maximum=min(layers, MOST_TP))
    each, more = divmod(layers, stages)
    sizes = [each + (stages - 1 - more <= i < stages - 1) for i in range(stages)]
    starts = [sum(sizes[:i]) for i in range(stages)]
    return tuple(range(a, a + n) for a, n in zip(starts, sizes, strict=True))
