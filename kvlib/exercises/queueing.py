"""The later questions of chapter 7: how long requests wait."""

from kvlib.budget import Service, Traffic, capacity
from kvlib.exercises.question import Choice, Question, Slip
from kvlib.hits import PUBLISHED
from kvlib.models import load
from kvlib.queueing import mg1_wait
from kvlib.units import GB, Gbit_s

__all__ = ["BUSY", "FULL", "ONE_LINK", "PLANNED", "PREFILL", "QUESTIONS", "SPREAD"]

TEXT = Service()  # the source text's service
PREFILL = TEXT.prompt_tokens / TEXT.prefill_rate  # seconds of one prefill worker
BUSY, SPREAD = 0.8, PUBLISHED["mooncake conversation"].input_spread  # question 7.7
FULLNESS = BUSY / (1 - BUSY)
WAIT = mg1_wait(BUSY / PREFILL, PREFILL, SPREAD)
ONE_LINK = Service(model=load("llama-3.1-70b"), network_rate=10 * Gbit_s)
PLANNED = 1.5  # requests/s that question 7.8 puts on it
SOLD = PLANNED / capacity(ONE_LINK).network
FULL = Traffic(  # question 7.9: nine tenths of what prefill sustains
    arrival_rate=2.64,
    requests=30_000,  # a run of 2,000 ends before queues have grown
    arrivals="bursty",
    prompt_spread=PUBLISHED["azure conversation"].input_spread,
)

QUESTIONS = (
    Question(
        key="7.7",
        prompt="Mean wait before one prefill worker: 80 % busy, spread 2.72.",
        answer=WAIT,
        unit="s",
        slips=(
            Slip(
                value=2 * WAIT,
                hint="That forgets the half. Whoever arrives finds half of a prompt under way, "
                "in the mean, if prompts are equal.",
            ),
            Slip(
                value=BUSY * SPREAD / 2 * PREFILL,
                hint="That multiplies by 80 % alone. Divide by the idle part, too: waits grow "
                "without end as it goes to nothing.",
            ),
            Slip(
                value=SPREAD / 2 * PREFILL,
                hint="That leaves out how full the worker is. Busy over idle is 1 at half load, "
                "and it grows from there.",
            ),
            Slip(
                value=SPREAD / 2 * PREFILL / (1 - BUSY),
                hint="That is the wait of those who find the worker busy. One in five does not.",
            ),
            Slip(
                value=mg1_wait(BUSY / PREFILL, PREFILL, 1),
                hint="That is the wait among equal prompts. These are uneven: multiply by their "
                "spread.",
            ),
            Slip(
                value=FULLNESS * (SPREAD - 1) / 2 * PREFILL,
                hint="That takes c² for the spread. The spread is 1 + c², and equal prompts wait, "
                "too.",
            ),
            Slip(
                value=WAIT + PREFILL,
                hint="That adds the request's own prefill. Until then it has waited less.",
            ),
        ),
        hints=(
            "Three factors: how full, how uneven, how long.",
            "The first is 0.8 / 0.2, the second half the spread, the third 1.024 s.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="7.8",
        prompt="How many times over does the planner give the link of 10 Gb/s away?",
        answer=SOLD,
        unit="×",
        slips=(
            Slip(
                value=ONE_LINK.payload_bytes / ONE_LINK.network_rate,
                hint="That is one hand-off's time in seconds. How many begin in that time?",
            ),
            Slip(
                value=SOLD - 1,
                hint="That is what the link cannot carry. The question asks for all that was "
                "given away.",
            ),
            Slip(
                value=1 / SOLD,
                hint="That is the part of the demand that the link can carry. Turn it over.",
            ),
            Slip(
                value=SOLD / 8,
                hint="That reads the label as bytes. Gb/s counts bits: the link moves 1.25 GB/s.",
            ),
            Slip(
                value=PLANNED * 2.5 * GB / ONE_LINK.network_rate,
                hint="That counts 2.5 GiB as 2.5 GB. Links count in powers of ten, payloads fall "
                "on powers of two.",
            ),
            Slip(
                value=PLANNED * TEXT.payload_bytes / ONE_LINK.network_rate,
                hint="The book's example has 32 layers, this model has 80.",
            ),
        ),
        hints=(
            "What one hand-off takes of the link alone, times how many begin in a second.",
            "2.5 GiB at 1.25 GB/s is 2.15 s of the link, and 1.5 requests/s ask for it.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="7.9",
        prompt="Prefill is 90 % busy. Which change takes most off the 95th percentile?",
        answer="worker",
        choices=(
            Choice(
                key="random",
                text="clients space their requests: they come at random, no longer in bursts",
                reason="From 24 s to 11 s. A burst is load that comes all at once; without it "
                "the fullness is still there.",
            ),
            Choice(
                key="equal",
                text="prompts of the same mean, all equally long",
                reason="From 24 s to 19 s. The bursts remain, and they make most of the queue.",
            ),
            Choice(
                key="worker",
                text="one decode worker becomes a prefill worker",
                reason="From 24 s to 6 s. Prefill is then 68 % busy: busy over idle falls from "
                "9.1 to 2.1, and that factor multiplies all the others.",
            ),
            Choice(
                key="link",
                text="a link of 400 Gb/s",
                reason="Half of 42.95 ms is nothing beside a queue of seconds before prefill.",
            ),
        ),
        hints=(
            "Three factors multiply. Which of them is far from 1 at nine tenths?",
            "Busy over idle is 9.1; work it out for four workers. In bursts a 4 stands where "
            "random arrivals have the 1 of 1 + c², and Azure's c² is 0.92.",
        ),
        level="decide",
        minutes=5,
    ),
)
