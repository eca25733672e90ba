"""The questions of chapter 6: overlap."""

from kvlib.budget import Service
from kvlib.exercises.question import Choice, Question, Slip, Verdict, unwrapped
from kvlib.overlap import (
    SGLANG,
    Piece,
    best_pieces,
    even_ready_seconds,
    layerwise,
    pieces_under,
    timeline,
)
from kvlib.units import GB, GB_s, Gbit_s, Unreadable, format_as, ms, read

__all__ = ["QUESTIONS"]

TEXT = Service()  # the source text's service
TOKEN = TEXT.payload_bytes // TEXT.prompt_tokens  # bytes
LAYERS = {"prefill": 600 * ms, "n_bytes": 3 * GB, "layers": 24, "rate": 10 * GB_s}  # 6.1
BYTES = LAYERS["n_bytes"] / LAYERS["rate"]
LAYERED = layerwise(LAYERS["prefill"], LAYERS["n_bytes"], LAYERS["layers"])
LONG, LONG_RATE = 20_000, 5 * GB_s  # 6.2
CHUNKS = pieces_under(SGLANG, LONG / TEXT.prefill_rate, LONG * TOKEN, LONG, layers=32)
CHUNKED, ALL = timeline(CHUNKS, LONG_RATE), LONG * TOKEN / LONG_RATE
CACHED, NEW = 8_000, 192  # tokens, 6.3: what is cached needs no compute and leaves first
HIT = Piece(compute_seconds=0, n_bytes=CACHED * TOKEN)
SUFFIX = Piece(compute_seconds=NEW / TEXT.prefill_rate, n_bytes=NEW * TOKEN)
SLOW = {"prefill_seconds": 100 * ms, "transfer_seconds": 400 * ms, "overhead": 1 * ms}  # 6.5
SLOW_BEST = best_pieces(**SLOW, most=64)
COMPUTE, TRANSFER, EACH = SLOW.values()
EXPOSED, BUSY = 12 * ms, 250 * ms  # the limits of 6.6
OPEN = {
    "prefill_seconds": 4_096 / TEXT.prefill_rate,
    "transfer_seconds": 4_096 * TOKEN / (25 * Gbit_s),
    "overhead": 2 * ms,
}

PREDICT = Question(
    key="6.predict",
    prompt="Each of 32 pieces leaves as soon as it is computed. When may decode start?",
    answer="last",
    choices=(
        Choice(
            key="first",
            text="after 33.34 ms, when the first piece has arrived",
            reason="The first piece is one layer. The first new token passes through all 32 of "
            "them, so decode needs every piece.",
        ),
        Choice(
            key="prefill",
            text="after 1,024.00 ms, with the end of prefill",
            reason="Nearly. But the last piece is computed at that moment, and it still has to "
            "cross the link.",
        ),
        Choice(
            key="last",
            text="after 1,025.34 ms, one piece after the end of prefill",
            reason="All other pieces cross while prefill goes on. The last cannot: it is complete "
            "only when prefill is.",
        ),
        Choice(
            key="sum",
            text="after 1,066.95 ms: prefill and transfer add up",
            reason="They add up where one piece leaves at the end. Here 31 of 32 pieces leave "
            "before that.",
        ),
    ),
)


def _open(text: str) -> Verdict:
    """Judge question 6.6: any number of pieces that keeps both limits."""
    left = unwrapped(text).lower()
    for word in ("pieces", "piece", "even"):
        left = left.removesuffix(word).rstrip()
    try:
        typed = read(left)
        k = int(typed.number) if typed.number.denominator == 1 and not typed.unit else 0
    except Unreadable:
        k = 0
    if not 1 <= k <= 10_000:
        hint = "Type a whole number of pieces from 1 to 10000, as in 8."
        return Verdict(state="unreadable", message=hint)
    exposed = even_ready_seconds(k, **OPEN) - OPEN["prefill_seconds"]
    busy = OPEN["transfer_seconds"] + k * OPEN["overhead"]
    said = f"{format_as(exposed, 'ms')} stay exposed and the link works {format_as(busy, 'ms')}"
    if exposed < EXPOSED and busy < BUSY:
        return Verdict(state="right", message=f"Correct: {said}.")
    why = "The last piece is too long" if busy < BUSY else "The overheads add up"
    return Verdict(state="slip", message=f"Not yet. {why}: {said}.")


QUESTIONS = (
    PREDICT,
    Question(
        key="6.1",
        prompt="When decode may start: 600 ms of prefill, 3 GB, 10 GB/s, 24 layers.",
        answer=timeline(LAYERED, LAYERS["rate"]).ready_seconds,
        unit="ms",
        digits=1,
        slips=(
            Slip(
                value=LAYERS["prefill"] + BYTES,
                hint="That sends everything at the end. Here a layer leaves when it is computed.",
            ),
            Slip(
                value=timeline(LAYERED, LAYERS["rate"]).ready_seconds - LAYERS["prefill"],
                hint="That is what the hand-off adds. Count from the start of prefill.",
            ),
            Slip(
                value=LAYERS["prefill"],
                hint="That hides the last layer, too. It is computed only when prefill ends.",
            ),
            Slip(
                value=LAYERS["prefill"] / LAYERS["layers"] + BYTES,
                hint="That keeps the link busy from the first layer on. It waits for the last one.",
            ),
        ),
        hints=(
            "Look at what has not left yet when prefill ends, and add the time that it takes.",
            "Each layer holds 125 MB. The link sends that in less time than a layer computes.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="6.2",
        prompt="The exposed part of the hand-off of 20,000 tokens, in chunks of 8,192.",
        answer=CHUNKED.exposed_seconds,
        unit="ms",
        slips=(
            Slip(value=ALL, hint="That is the whole transfer. Two chunks leave during prefill."),
            Slip(
                value=ALL / 3,
                hint="That makes three equal pieces. A chunk has 8,192 tokens, the last the rest.",
            ),
            Slip(
                value=CHUNKED.ready_seconds,
                hint="That is when decode may start. Asked is what the hand-off adds to prefill.",
            ),
        ),
        hints=(
            "Count the tokens of the last chunk. Only they are left when prefill has ended.",
            "3,616 tokens of 131,072 bytes leave when prefill has ended.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="6.3",
        prompt="When decode may start, if the cached 8,000 of 8,192 tokens leave at once.",
        answer=timeline((HIT, SUFFIX), TEXT.network_rate).ready_seconds,
        unit="ms",
        slips=(
            Slip(
                value=SUFFIX.compute_seconds + TEXT.payload_bytes / TEXT.network_rate,
                hint="That sends all of it after prefill. The cached part need not wait.",
            ),
            Slip(
                value=HIT.n_bytes / TEXT.network_rate,
                hint="That is the cached part alone. The last 192 tokens still follow on the link.",
            ),
            Slip(
                value=timeline([SUFFIX], TEXT.network_rate).ready_seconds,
                hint="That forgets the link: when prefill ends, it still sends the cached part.",
            ),
            Slip(
                value=SUFFIX.compute_seconds,
                hint="That is prefill alone. The decode worker has nothing yet of this prompt.",
            ),
        ),
        tolerance=0.003,
        hints=(
            "There are two pieces. The first needs no compute, and both cross one link.",
            "Prefill takes 24 ms, the cached part 41.94 ms on the link. Which ends later?",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="6.4",
        prompt="64 tokens, 32 layers, 0.5 ms a piece. Which cut is ready first?",
        answer="four",
        choices=(
            Choice(
                key="one",
                text="one piece",
                reason="It is ready after 8.84 ms. A few pieces cost little and hide most of the "
                "transfer.",
            ),
            Choice(
                key="four",
                text="four pieces of eight layers",
                reason="It is ready after 8.58 ms. A piece computes for 2 ms and pays 0.5 ms, and "
                "only the last is exposed.",
            ),
            Choice(
                key="sixteen",
                text="sixteen pieces of two layers",
                reason="It is ready after 8.84 ms, as late as one piece. A piece computes for "
                "0.5 ms and pays as much: this is the break-even.",
            ),
            Choice(
                key="all",
                text="32 pieces of one layer",
                reason="It is ready after 16.59 ms. A layer computes for 0.25 ms and pays 0.5 ms, "
                "so the overheads queue.",
            ),
        ),
        hints=(
            "Compare what a piece computes with what it costs.",
            "Prefill takes 8 ms. Above 16 pieces the overheads take longer than that.",
        ),
        level="decide",
        minutes=4,
    ),
    Question(
        key="6.5",
        prompt="How soon decode may start with the best number of even pieces.",
        answer=even_ready_seconds(SLOW_BEST, **SLOW),
        unit="ms",
        digits=0,
        slips=(
            Slip(
                value=COMPUTE + TRANSFER + EACH,
                hint="That is one piece, or a hundred: cut so finely, overheads cost all that "
                "overlap saves.",
            ),
            Slip(
                value=COMPUTE + EACH + TRANSFER / SLOW_BEST,
                hint="That lets the link wait. Here compute is done long before it.",
            ),
            Slip(
                value=COMPUTE / SLOW_BEST + TRANSFER,
                hint="That leaves out the overheads, or the first piece's compute.",
            ),
            Slip(value=TRANSFER, hint="Add the compute of the first piece, and all overheads."),
        ),
        hints=(
            "Transfer takes longer than compute, so look for the greater of the two terms of k*.",
            "k* is the square root of 100. The first piece computes, then the link never rests.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="6.6",
        prompt="A number of even pieces that keeps both limits.",
        answer="24",
        judge=_open,
        wrong_examples=("8", "60", "1"),
        hints=(
            "Prefill is longer than the transfer, so one piece stays exposed: overhead and bytes.",
            "Each piece adds 2 ms to the link's work. How many may there be?",
        ),
        level="open",
        minutes=5,
    ),
)
