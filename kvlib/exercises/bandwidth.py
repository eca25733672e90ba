"""The questions of chapter 2: bandwidth."""

from kvlib import units
from kvlib.bandwidth import (
    LINKS,
    Flow,
    Link,
    Path,
    fair_rates,
    fit,
    transfer_rate,
    transfer_seconds,
)
from kvlib.exercises.question import Choice, Question, Slip, Verdict, misread
from kvlib.units import GB, MB, Gbit_s, GiB, Tbit_s, format_as, ms

__all__ = ["QUESTIONS"]

PREDICT = Question(
    key="2.predict",
    prompt="The card says 200 Gb/s. How soon can it deliver 1 GiB, at the very best?",
    answer="alone",
    choices=(
        Choice(
            key="bits",
            text="in about 5 ms",
            reason="That reads the label as bytes. Gb/s counts bits, and a byte has eight of them.",
        ),
        Choice(
            key="alone",
            text="in about 43 ms, if no hop is slower and nobody else is on the path",
            reason="Divide by eight for 25 GB/s, then divide the bytes by that. A slower hop or "
            "another user makes it longer, nothing makes it shorter.",
        ),
        Choice(
            key="shared",
            text="in about 43 ms, whoever else sends at the same time",
            reason="The division is right. But a link has one rate for all its users: with three "
            "others at it, you get a quarter.",
        ),
        Choice(
            key="layers",
            text="it depends on the model's layers",
            reason="Layers decide how many bytes there are, and here those are given.",
        ),
    ),
)

SLOT = Path(hops=(LINKS["PCIe Gen3 x16"], LINKS["200 Gb/s Ethernet"]))
LANE = LINKS["PCIe Gen3 x16"].payload_rate / 16

# Three hand-offs leave through one card; the third ends at a slower one.
CARD, FAR = Link(name="card", rate=200 * Gbit_s), Link(name="far", rate=40 * Gbit_s)
THREE = (Flow(links=("card",)), Flow(links=("card",)), Flow(links=("card", "far")))
SHARES = fair_rates(THREE, (CARD, FAR))

SIZES, TIMES = (40 * MB, 240 * MB), (4 * ms, 14 * ms)
FITTED = fit(SIZES, TIMES)
MEAN_RATES = [transfer_rate(n, t) for n, t in zip(SIZES, TIMES, strict=True)]

SENDERS, SOONEST, LATEST = 4, 30 * ms, 60 * ms


def _label(text: str) -> Verdict:
    """Judge question 2.6: any label that gives each of four senders 1 GiB in time."""
    wanted = "Type a rate with its unit, as in 100 Gb/s."
    try:
        typed = units.read(text, "rate")
    except units.Unreadable as error:
        return Verdict(state="unreadable", message=misread(error, wanted))
    if typed.unit is None or typed.unit.kind != "rate":
        return Verdict(state="unreadable", message=wanted)
    rate = typed.number * typed.unit.size
    if not Gbit_s <= rate <= 100 * Tbit_s:
        hint = "Type a rate from 1 Gb/s to 100 Tb/s."
        return Verdict(state="unreadable", message=hint)
    seconds = transfer_seconds(GiB, float(rate) / SENDERS)
    says = f"each hand-off needs at least {format_as(seconds, 'ms')}"
    if SOONEST < seconds < LATEST:
        return Verdict(state="right", message=f"Correct: {says}.")
    if SOONEST < seconds / SENDERS < LATEST:
        why = "One alone would be in time, but four share the link"
        return Verdict(state="slip", message=f"Not yet. {why}: {says}.")
    why = "That is too slow" if seconds >= LATEST else "That is more than you need"
    return Verdict(state="slip", message=f"Not yet. {why}: {says}.")


def _converted(seconds: float) -> tuple[Slip, ...]:
    """Return the slips on the way from GiB and Gb/s to the right time."""
    return (
        Slip(
            value=seconds / 8,
            hint="That reads the label as bytes. Gb/s counts bits: divide by eight first.",
        ),
        Slip(value=seconds * 8, hint="That divides by eight twice. Bits become bytes once."),
        Slip(value=seconds * GB / GiB, hint="That takes GB for GiB. A GiB is 2^30 bytes."),
    )


QUESTIONS = (
    PREDICT,
    Question(
        key="2.1",
        prompt="The least time for 4 GiB at 100 Gb/s.",
        answer=transfer_seconds(4 * GiB, 100 * Gbit_s),
        unit="ms",
        slips=_converted(transfer_seconds(4 * GiB, 100 * Gbit_s)),
        hints=(
            "Turn both into bytes first: multiply the size by 2^30, divide the rate by eight.",
            "The rate is 12.5 GB/s. Divide 4 × 1,073,741,824 bytes by it.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="2.2",
        prompt="The least time for 2 GiB through a PCIe Gen3 x16 slot and a card of 200 Gb/s.",
        answer=transfer_seconds(2 * GiB, SLOT.effective_rate),
        unit="ms",
        digits=1,
        slips=(
            *_converted(transfer_seconds(2 * GiB, SLOT.effective_rate)),
            Slip(
                value=transfer_seconds(2 * GiB, SLOT.hops[1].rate),
                hint="That is the card alone. The bytes cross the slot too, and it is slower.",
            ),
            Slip(
                value=transfer_seconds(2 * GiB, SLOT.nominal_rate),
                hint="That forgets the encoding: of every 130 bits in the slot, 128 are data.",
            ),
            Slip(
                value=sum(transfer_seconds(2 * GiB, hop.effective_rate) for hop in SLOT.hops),
                hint="That adds both hops. Bytes stream: while the last of them are in the slot, "
                "the first have long left the card.",
            ),
            Slip(
                value=transfer_seconds(2 * GiB, LANE),
                hint="That is one lane. The slot has 16.",
            ),
        ),
        hints=(
            "Find the rate of each hop in GB/s. The smaller one sets the pace.",
            "For the slot, multiply 16 lanes by 8 Gb/s and by 128/130. Then divide by eight.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="2.3",
        prompt="When the two hand-offs to fast cards are done, if the card shares fairly.",
        answer=transfer_seconds(GiB, SHARES[0]),
        unit="ms",
        slips=(
            *_converted(transfer_seconds(GiB, SHARES[0])),
            Slip(
                value=transfer_seconds(GiB, CARD.rate),
                hint="That gives each the whole card. Three hand-offs leave through it.",
            ),
            Slip(
                value=transfer_seconds(GiB, CARD.rate / 3),
                hint="That gives each a third. The third hand-off cannot use its third: what it "
                "leaves is for the others.",
            ),
            Slip(
                value=transfer_seconds(GiB, CARD.rate / 2),
                hint="That forgets the slow hand-off. It still takes its part of your card.",
            ),
            Slip(
                value=transfer_seconds(GiB, SHARES[2]),
                hint="That is the hand-off to the slow card. The question is about the others.",
            ),
        ),
        hints=(
            "First give the hand-off to the slow card what it can use. Then share the rest.",
            "It uses 5 GB/s of 25 GB/s. Two hand-offs share what is left.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="2.4",
        prompt="Four reports about one link of 400 Gb/s. Which of them cannot be true?",
        answer="two",
        choices=(
            Choice(
                key="one",
                text="1 GiB in 24 ms",
                reason="That is 44.74 GB/s of 50 GB/s: a good transfer, and a possible one.",
            ),
            Choice(
                key="two",
                text="2 GiB in 40 ms",
                reason="That is 53.69 GB/s, and the link carries 50 GB/s. Had the report meant "
                "2 GB it would sit exactly on the label; ask for the unit, then for the clock.",
            ),
            Choice(
                key="slow",
                text="128 MiB in 60 ms",
                reason="That is 2.24 GB/s, less than a twentieth of the label. Sad, and possible: "
                "a bound rules out what is too fast and says nothing about what is slow.",
            ),
            Choice(
                key="long",
                text="48 GB in 1 s",
                reason="That is 48 GB/s, 96 % of the label: possible for a transfer so long that "
                "its start-up vanishes.",
            ),
        ),
        hints=(
            "Divide each size by its time and compare with the label in bytes per second.",
            "The label is 50 GB/s. Mind which sizes are in GiB.",
        ),
        level="decide",
        minutes=3,
    ),
    Question(
        key="2.5",
        prompt="The time of 1 GB, from 40 MB in 4 ms and 240 MB in 14 ms.",
        answer=FITTED.seconds(1_000 * MB),
        unit="ms",
        digits=1,
        slips=(
            Slip(
                value=transfer_seconds(1_000 * MB, FITTED.rate),
                hint="That is the rate alone. Add the start-up that both measurements hold.",
            ),
            Slip(
                value=transfer_seconds(1_000 * MB, MEAN_RATES[1]),
                hint="That takes size over time of the larger one for the rate: part was start-up.",
            ),
            Slip(
                value=transfer_seconds(1_000 * MB, MEAN_RATES[0]),
                hint="That takes size over time of the smaller one for the rate: half is start-up.",
            ),
            Slip(
                value=transfer_seconds(1_000 * MB, FITTED.rate) + 4 * ms,
                hint="That adds the smaller one's whole time, bytes included, for the start-up.",
            ),
        ),
        hints=(
            "Subtract: 200 MB more took 10 ms more. Start-up cancels, and a rate is left.",
            "Take the bytes of one report at that rate from its time. Start-up is what is left.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="2.6",
        prompt="A label with which four hand-offs of 1 GiB at once take 30 ms to 60 ms each.",
        answer="800 Gb/s",
        judge=_label,
        wrong_examples=("200 Gb/s", "100 Gb/s", "400 Gb/s", "25 GB/s", "1.6 Tb/s"),
        hints=(
            "Each hand-off gets a quarter. Which quarter moves 1 GiB in 45 ms, say?",
            "Work backwards: divide 1 GiB by the time, multiply by four, then by eight for bits.",
        ),
        level="open",
        minutes=5,
    ),
)
