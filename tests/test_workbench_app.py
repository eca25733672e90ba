"""The workbench as an app: what is typed reaches the report, and what is said follows from it.

Oracles: the report of a Setup that is written here field by field, and the budget by itself.
"""

import importlib
import itertools
import json
import random
import re
from importlib import import_module

import pytest
from test_pictures import check
from test_widgets import is_sane

from kvlib.apps import defaults, find, run
from kvlib.apps.controls import Amount, Kept, Select, Text
from kvlib.apps.workbench import parts
from kvlib.budget import Service, Traffic, capacity, highest_rate, serve
from kvlib.engines import VLLM
from kvlib.hits import MOVES_SUFFIX
from kvlib.logs import read_log
from kvlib.models import load
from kvlib.quantization import FORMATS
from kvlib.queueing import mean, percentile
from kvlib.show import show
from kvlib.units import GB, Gbit_s, ms
from kvlib.wording import requests, time
from kvlib.workbench import Setup, as_json, as_markdown, conclusions, not_counted, report

logs = importlib.import_module("kvlib.logs.compare")  # the function has the module's name
APP = find("8.workbench")
QUEUE = "kvlib.apps.workbench.queue"
CONFIG = {"model_type": "llama", "num_hidden_layers": 80, "num_attention_heads": 64,
          "num_key_value_heads": 8, "head_dim": 128}  # fmt: skip
POOL = "[TP0] KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"


def outcome(**typed):
    return run(APP, defaults(APP) | typed)


def result(**typed):
    found = outcome(**typed)
    assert found.errors == {}
    return found.result


def part(found, title):
    (one,) = [p for p in found.parts if p.title.startswith(title)]
    return one


def said(found):
    """Return every text of a result but those to copy."""
    texts = [found.headline, *found.sentences]
    for each in found.parts:
        texts += [each.title, *each.sentences, *each.items]
        texts += [*itertools.chain(*each.numbers), *itertools.chain(*each.table)]
    pictures = [found.picture, *(each.picture for each in found.parts if each.picture)]
    return texts + [re.search(r'aria-label="([^"]*)"', p)[1] for p in pictures]


def test_the_first_line_is_the_source_texts_result():
    assert result().headline == "Prefill gives way first, at 2.93 requests/s."


def test_every_control_reaches_the_report():
    typed = {
        "model": "deepseek-v3", "prompt_tokens": "32,768", "output_tokens": "1,024",
        "key_format": "", "source_hit": "16,384", "destination_hit": "8,192",
        "protocol": "suffix", "prefill_tp": "8", "decode_tp": "4", "engine": "vllm",
        "link": "own", "link_rate": "100 Gb/s", "cards": "4", "share": "50 %",
        "efficiency": "80 %",
        "pieces": "16", "piece_seconds": "0.5 ms", "overlap": "no", "workers": "12",
        "prefill_workers": "5", "prefill_rate": "9,000", "decode_rate": "1,200",
        "decode_memory": "400 GB", "batch": "64", "arrival_rate": "3.5",
        "target_seconds": "5 s",
    }  # fmt: skip
    wanted = report(
        Setup(
            model=load("deepseek-v3"), prompt_tokens=32_768, output_tokens=1_024,
            source_hit=16_384, destination_hit=8_192, protocol=MOVES_SUFFIX, prefill_tp=8,
            decode_tp=4, engine=VLLM, link_rate=400 * Gbit_s, share=0.5, efficiency=0.8, pieces=16,
            piece_seconds=0.5 * ms, overlap=False, workers=12, prefill_workers=5,
            prefill_rate=9_000, decode_rate=1_200, decode_memory=400 * GB, batch=64,
            arrival_rate=3.5, target_seconds=5.0,
        )
    )  # fmt: skip
    found = result(**typed)
    assert (found.headline, *found.sentences) == conclusions(wanted)
    assert part(found, "The queue").numbers[-2] == ("time per output token", "53.33 ms")
    markdown, text = (text for _, text in found.copies)
    before, after = as_markdown(wanted).split("## Measure next")
    assert markdown.startswith(before) and markdown.rstrip().endswith(after)
    assert json.loads(text) == json.loads(json.dumps(as_json(wanted))) | {
        "queue": json.loads(text)["queue"]
    }
    assert part(found, "Not counted").items == not_counted(wanted.setup)


def test_a_format_halves_the_bytes():
    plain = dict(part(result(), "Bytes").numbers)
    packed = dict(part(result(key_format="fp8_e4m3"), "Bytes").numbers)
    assert plain["on the wire, pages and copies"].startswith("1.00 GiB (1.07 GB)")
    assert packed["on the wire, pages and copies"].startswith("512.00 MiB (536.87 MB)")
    wanted = report(Setup(model=load("llama-3.1-8b"), key_format=FORMATS["fp8_e4m3"]))
    assert wanted.sizes.wire_bytes == 2**29


def test_a_model_is_chosen_pasted_or_typed():
    pasted = result(model="config", config=json.dumps(CONFIG))
    typed = result(model="geometry", layers="80")
    known = result(model="llama-3.1-70b")
    size = "2.50 GiB (2.68 GB)"
    for found in (pasted, typed, known):
        assert dict(part(found, "Bytes").numbers)["payload, logical"] == size


def test_a_named_link_has_the_rate_that_it_carries():
    named = result(link="PCIe Gen4 x16", link_rate="1 Gb/s")
    own = result(link_rate=f"{256 * 128 / 130} Gb/s")
    times = "Time of one request"
    assert part(named, times).numbers == part(own, times).numbers


WRONG = {  # what is typed: which control says what
    "nothing pasted": (
        {"model": "config"},
        {"config": "A config.json: paste the text of a config.json, which begins with {."},
    ),
    "a path": (
        {"model": "config", "config": "/etc/passwd"},
        {"config": "A config.json: paste the text of a config.json, which begins with {."},
    ),
    "cut off": (
        {"model": "config", "config": '{"model_type": "llama",'},
        {
            "config": "A config.json: config must be valid JSON, got an error at line 1, "
            "column 24; is it whole?"
        },
    ),
    "unknown": (
        {"model": "config", "config": '{"model_type": "<b>"}'},
        {
            "config": "A config.json: model_type must be a known name, got '<b>'; if every layer "
            "keeps K and V of every token, choose the numbers typed below."
        },
    ),
    "too long": (
        {"config": "x" * 200_001},
        {"config": "A config.json: paste at most 200,000 characters, this is 200,001."},
    ),
    "no decode": (
        {"prefill_workers": "8"},
        {
            "prefill_workers": "Prefill workers, of all: must leave at least one of “Workers, all "
            "together” (8) for decode, got 8; give 7 or fewer."
        },
    ),
    "a hit longer than its prompt": (
        {"source_hit": "9,000"},
        {
            "source_hit": "Cached at the source: must be a part of the prompt's tokens, got "
            "9,000 of 8,192."
        },
    ),
    "heads that do not divide": (
        {"model": "phi-4", "decode_tp": "4"},
        {
            "decode_tp": "Decode TP: must be a divisor or a multiple of 10 KV heads, got 4; 1, 2, "
            "5, 10, 20 and 30 work."
        },
    ),
    "no room": (
        {"decode_memory": "1 GB"},
        {"decode_memory": "Its memory for caches: must be at least one request's "},
    ),
    "a format of no pages": (
        {"model": "deepseek-v3.2", "key_format": "fp8_e4m3", "engine": "vllm"},
        {},
    ),
    "no set-up": (
        {"kept": "x"},
        {"kept": "The set-up kept to compare: this is no set-up, forget it and keep another."},
    ),
    "a kept one that is refused": (
        {"kept": '{"prefill_workers": "8"}'},
        {"kept": "The set-up kept to compare: it cannot be read any more, Prefill workers, of "},
    ),
}


@pytest.mark.parametrize(("typed", "errors"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_said_beside_its_field(typed, errors):
    found = outcome(**typed).errors
    assert set(found) == set(errors)
    for key, words in errors.items():
        assert found[key].startswith(words) and found[key].endswith((".", "?"))


NOTES = {  # what is typed: how the note about it begins
    "a config that is not chosen": ({"config": json.dumps(CONFIG)}, "The pasted config.json is "),
    "numbers that are not chosen": ({"layers": "80"}, "The layers and heads that are typed are "),
    "a rate beside a named link": (
        {"link": "InfiniBand NDR", "link_rate": "1 Gb/s"},
        "The rate that is typed is not used",
    ),
    "the example's rates": ({"model": "deepseek-v3"}, "The token rates are still the book's "),
    "copies on one card": (
        {"model": "qwen3-235b-a22b", "prefill_tp": "8", "decode_tp": "8", "prefill_rate": "9,000"},
        "All copies cross one link",
    ),
    "a hit that spares nothing": (
        {"destination_hit": "8,000"},
        "What the destination holds spares nothing: the protocol moves the whole prompt.",
    ),
    "less than a page": (
        {"destination_hit": "8", "protocol": "suffix", "engine": "vllm"},
        "What the destination holds spares nothing: it fills no page.",
    ),
}


@pytest.mark.parametrize(("typed", "words"), NOTES.values(), ids=NOTES)
def test_what_a_reader_may_take_for_something_else_is_said(typed, words):
    assert result(**typed).sentences[-1].startswith(words)
    assert len(result(**typed).sentences) == len(result().sentences) + 1


def test_cards_side_by_side_are_one_faster_link():
    many, one = result(cards="8", link_rate="400 Gb/s"), result(link_rate="3.2 Tb/s")
    assert many.picture == one.picture and many.parts == one.parts


def test_the_copies_hold_the_queue():
    found = result(spread="2.72", arrivals="bursty", decode_memory="100 GB", batch="20")
    markdown, text = (text for _, text in found.copies)
    assert markdown.index("## The queue at 2.00") < markdown.index("## Measure next")
    assert "| requests come | in bursts, twice the deviation |" in markdown
    queue = json.loads(text)["queue"]
    assert (queue["arrivals"], queue["prompt_spread"], queue["batch_requests"]) == (
        "bursty",
        2.72,
        20,
    )
    shown = dict(part(found, "The queue").numbers)
    assert time(queue["first_token_95_percent_seconds"]) == shown["first token, 95 % within"]
    assert len(queue["target_met_up_to_requests_per_second"]) == 3


def test_the_queue_is_the_run_of_the_same_service():
    found = part(result(arrival_rate="2.5"), "The queue at 2.50 requests/s")
    run_of = serve(Service(), Traffic(arrival_rate=2.5, requests=1_024), seed=1)
    numbers = dict(found.numbers)
    assert numbers["mean wait before prefill"] == time(mean(run_of.prefill_waits))
    assert numbers["first token, 95 % within"] == time(percentile(run_of.ttft, 0.95))
    assert numbers["time per output token"] == "40.00 ms"


def test_the_queue_hides_pieces_as_the_report_does():
    typed = {"pieces": "32", "piece_seconds": "5 ms", "link_rate": "20 Gb/s"}
    setup = Setup(pieces=32, piece_seconds=5 * ms, link_rate=20 * Gbit_s)
    found, numbers = report(setup), dict(part(result(**typed), "The queue").numbers)
    how = Traffic(arrival_rate=2.0, requests=1_024, exposed_seconds=found.exposed_seconds)
    run_of = serve(found.service, how, seed=1)
    assert numbers["mean wait before the link"] == time(mean(run_of.network_waits))
    calm = dict(part(result(**typed, arrival_rate="0.01"), "The queue").numbers)
    alone = time(found.prefill_seconds + found.exposed_seconds)
    assert calm["first token, half of them within"] == alone


def rate_said(**typed):
    return part(result(**typed), "The queue").sentences[2]


def test_the_rate_that_meets_the_target_is_a_range_of_three_runs():
    for typed, how, ttft in (
        ({}, {}, 2.0),
        ({"arrivals": "bursty"}, {"arrivals": "bursty"}, 2.0),
        ({"spread": "2.72", "target_seconds": "8 s"},
         {"prompt_spread": 2.72, "output_spread": 2.72}, 8.0),
    ):  # fmt: skip
        traffic = Traffic(arrival_rate=1.0, requests=512, **how)
        rates = [highest_rate(Service(), traffic, ttft=ttft, seed=seed) for seed in (1, 2, 3)]
        limit = capacity(Service()).limit
        ends = [min(rates), max(rates)]
        first, last, low, high = (
            float(f"{x:.1e}") for x in (*ends, *(100 * r / limit for r in ends))
        )
        words = f"up to {first:.1f} to {last:.1f} requests/s, by the run: {low:.0f} to {high:.0f} %"
        assert f"95 % have it within {time(ttft)} {words} of the bound" in rate_said(**typed)


LIMIT = capacity(Service()).limit
LONGER = " Longer runs would say up to a tenth less."
NEARER = "; nearer to it a run this short cannot tell."
WITHIN = "95 % have it within 2.00 s"
SAID = {  # rates that three runs find, as parts of the bound: what is said
    (0.0, 0.0, 0.0): "In 3 runs of 512 requests no rate, however low, gives 95 % of them the "
    "first token within 2.00 s.",
    (0.0, 0.5, 0.2): f"By the run {WITHIN} at no rate, or up to 1.5 requests/s: at most 50 % of "
    f"the bound.{LONGER}",
    (0.341, 0.342, 0.343): f"{WITHIN} up to 1.0 requests/s: 34 % of the bound.{LONGER}",
    (0.95, 0.95, 0.95): f"{WITHIN} up to 2.8 requests/s: 95 % of the bound{NEARER}{LONGER}",
    (0.8, 0.95, 0.9): f"{WITHIN} up to 2.3 to 2.8 requests/s, by the run: 80 to 95 % of the "
    f"bound{NEARER}{LONGER}",
    (0.002, 0.00204, 0.003): f"{WITHIN} up to 0.0059 to 0.0088 requests/s, by the run: 0.20 to "
    f"0.30 % of the bound.{LONGER}",
}


@pytest.mark.parametrize(("parts", "words"), SAID.items(), ids=map(str, SAID))
def test_what_three_runs_find_is_said_as_it_is(parts, words, monkeypatch):
    found = [(part * LIMIT, LIMIT) for part in parts]
    monkeypatch.setattr(import_module(QUEUE), "_sought", lambda *_: found)
    assert rate_said() == words


def test_goodput_is_what_comes_in_time_while_requests_come():
    typed = {"arrival_rate": "4", "target_seconds": "1000 s"}
    said = part(result(**typed), "The queue").sentences[1]
    rate = float(re.search(r"goodput of ([\d.]+) requests/s", said)[1])
    assert said.startswith("100 % of them") and 2.8 < rate <= 2.93


def test_hits_and_copies_reach_the_queue():
    calm = part(result(source_hit="8,000", arrival_rate="2.5"), "The queue")
    assert dict(calm.numbers)["first token, 95 % within"].endswith(" ms")
    slow = part(result(link_rate="1.6 Gb/s"), "The queue")
    assert "the link" in slow.picture
    done = dict(slow.numbers)["done when the last one comes"]
    assert 80 < int(done.removesuffix(" of 1,024")) <= 0.2e9 / 2**30 * 512


def test_every_split_is_drawn_and_the_present_one_is_named():
    shown = part(result(), "Every split")
    for n in range(1, 8):
        bounds = capacity(Service(prefill_workers=n))
        here = " (this one)" if n == 3 else ""
        assert f"{n}:{8 - n}{here} {requests(bounds.limit)}, {bounds.first}" in shown.picture
    many = part(result(workers="200", prefill_workers="1"), "Splits near the best")
    assert "1:199 (this one)" in many.picture and "24:176" in many.picture
    assert many.picture.count("<rect") == 16


def test_two_set_ups_stand_side_by_side():
    kept = json.dumps({"model": "deepseek-v3", "link_rate": "10 Gb/s", "unknown": "x"})
    found = part(result(kept=kept), "Side by side")
    rows = {first: cells for first, *cells in found.table}
    assert rows["Model"] == ["llama-3.1-8b", "deepseek-v3"]
    assert rows["Link"] == ["200.00 Gb/s", "10.00 Gb/s"] and "Its rate" not in rows
    other = report(Setup(model=load("deepseek-v3"), link_rate=10 * Gbit_s))
    assert rows["sustains"] == ["2.93 requests/s", requests(other.capacity.limit)]
    assert rows["gives way first"] == ["prefill", "the network"]
    assert found.sentences == ("This one sustains 1.35× as much.",)
    same = part(result(kept="{}"), "Side by side")
    assert same.sentences == ("Both sustain 2.93 requests/s.",) and len(same.table) == 10


def test_a_log_is_read_beside_the_model():
    found = part(result(log=POOL), "Your log")
    text = " ".join(found.sentences)
    assert "printed 53.18 GB, meant 53.18 GiB" in text
    assert "llama-3.1-8b needs 131,072 B at TP 1, 2 bytes an element: they agree." in text
    assert part(result(log="hello <b>"), "Your log").sentences[0].startswith("No line that ")
    assert not [p for p in result(log=" \n").parts if p.title.startswith("Your log")]
    many = part(result(log="\n".join([POOL] * 90)), "Your log").sentences
    assert many[:-1] == found.sentences
    assert many[-1] == "Of the known lines 89 more say the same as one before."


def lines_of(kind):
    shapes = {
        "pools": "KV Cache is allocated. #tokens: {0}00000, K size: {0}.00 GB, V size: {0}.00 GB",
        "speeds": "transfer_speed={0}.00 GB/s, transfer_total=9{0}.00 MB",
        "stores": "Stored {0} out of. size: 0.{0:04} gb, cost 9.{0} ms, throughput: 2.3634 GB/s",
        "pairs": "Available KV cache memory: {0} GiB\nGPU KV cache size: {0}000 tokens",
    }
    return "\n".join(shapes[kind].format(n) for n in range(1, 201))[:20_000]


@pytest.mark.parametrize("kind", ["pools", "speeds", "stores", "pairs"])
def test_of_a_long_log_a_dozen_lines_are_explained_and_compared(kind, monkeypatch):
    seen = []
    told = ((parts, "explain"), (parts, "in_short"))
    for where, name in (*told, (logs, "compare_pool"), (logs, "compare_transfer")):
        real = getattr(where, name)
        spy = lambda *a, name=name, real=real: seen.append(name) or real(*a)  # noqa: E731
        monkeypatch.setattr(where, name, spy)
    text = lines_of(kind)
    said = part(result(log=text), "Your log").sentences
    kinds = 2 if kind == "pairs" else 1
    assert (seen.count("explain"), seen.count("in_short")) == (kinds, 12 - kinds)
    assert 12 <= len(seen) - 12 <= 24
    assert sum(line.startswith("Line ") for line in said) == 12
    left, summed = len(read_log(text)) - 12, kind in ("speeds", "stores")
    why = "not told one by one, but counted in the sums" if summed else "left out: paste fewer"
    assert said[-1] == f"Of the known lines {left:,} more are {why}."
    assert said[0].startswith("Over ") == summed


BATCH = "Prefill batch, #new-token: {}, #cached-token: {}"


def test_lines_that_share_a_number_keep_it_and_their_sum_comes_first():
    three = [(8192, 0), (4096, 4096), (8192, 8192)]
    log = "\n".join(BATCH.format(*pair) for pair in three)
    assert part(result(log=log), "Your log").sentences == (
        "Over 3 lines of SGLang (one prefill batch): tokens computed, 20,480 in all; tokens from "
        "the cache, 12,288 in all, a hit rate of 37.5 %.",
        "Line 1, SGLang: one prefill batch.",
        "tokens computed: 8,192 tokens.",
        "tokens from the cache: 0 tokens.",
        "Line 2, SGLang: tokens computed 4,096, tokens from the cache 4,096.",
        "Line 3, SGLang: tokens computed 8,192, tokens from the cache 8,192.",
    )


def test_of_every_kind_one_line_is_told_however_many_stand_before_it():
    log = "\n".join(BATCH.format(n, n + 1) for n in range(40)) + "\n" + POOL
    text = part(result(log=log), "Your log").sentences
    assert "Line 41, SGLang: the KV pool that one rank has allocated." in text
    assert text[-1] == (
        "Of the known lines 29 more are not told one by one, but counted in the sums."
    )


def test_what_is_compared_stands_with_its_line():
    log = "transfer_speed=4.00 GB/s\ntransfer_speed=8.00 GB/s"
    text = part(result(log=log), "Your log").sentences
    assert [line.split(":")[0] for line in text if line.startswith(("Line", "Possible"))] == [
        "Line 1, SGLang", "Possible", "Line 2, SGLang", "Possible",
    ]  # fmt: skip
    assert "4.29 GB/s is 17.2 %" in text[4] and "8.59 GB/s is 34.4 %" in text[-1]


def test_where_no_line_is_known_those_that_are_are_listed():
    found = part(result(log="hello"), "Your log")
    assert len(found.sentences) == 1 and len(found.items) > 20
    assert 'SGLang, "Decode batch": one decode batch.' in found.items


def test_the_set_ups_format_is_what_a_log_is_compared_with():
    line = "KV Cache is allocated. #tokens: 1000000, KV size: 34.33 GB\n"
    line += "transfer_speed=5.00 GB/s, transfer_total=288.00 MB"
    text = " ".join(part(result(log=line, key_format="nvfp4"), "Your log").sentences)
    assert "llama-3.1-8b needs 36,864 B at TP 1, packed as nvfp4: they agree." in text
    assert "are 8,192.0 tokens of llama-3.1-8b on a rank at TP 1, packed as nvfp4 (TP as" in text
    line = POOL.replace("#tokens", "dtype: torch.bfloat16, #tokens")
    text = " ".join(part(result(log=line, key_format="fp8_e4m3"), "Your log").sentences)
    assert "dtype bfloat16, where 1 byte an element (fp8_e4m3) was stated: the line is" in text
    assert "131,072 B at TP 1, 2 bytes an element: they agree." in text


def test_a_log_says_nothing_twice():
    said = part(result(log="transfer_speed=18.63 GB/s"), "Your log").sentences
    assert said == (
        "Line 1, SGLang: the hand-off of one request, as its prefill rank saw it.",
        "rate: printed 18.63 GB/s, meant 18.63 GiB/s (20.00 GB/s).",
        "The time may be that of the last chunk alone, and the bytes those of all (pull request "
        "31993).",
        "Possible: 20.00 GB/s is 80.0 % of the label of the link.",
    )


def tries(control, pick):
    match control:
        case Select():
            return pick.choice(control.options)[0]
        case Text():
            return POOL if control.key == "log" else json.dumps(CONFIG)
        case Kept():
            return pick.choice(("", '{"model": "gemma-3-27b", "decode_memory": "80 GB"}'))
        case _:
            optional = isinstance(control, Amount) and not control.default
            ends = (control.minimum, control.maximum, control.default, control.default)
            return str(pick.choice((*ends, "") if optional else ends))


def test_whatever_is_typed_gives_a_sane_result_or_a_sentence_beside_a_field():
    pick, answered = random.Random(8), 0
    for _ in range(120):
        few = pick.sample(APP.controls, pick.choice((2, 4, 8)))
        found = outcome(**{control.key: tries(control, pick) for control in few})
        if found.errors:
            assert set(found.errors) <= {control.key for control in APP.controls}
            continue
        answered += 1
        for text in said(found.result):
            assert is_sane(text), text
        for picture in (found.result.picture, *(p.picture for p in found.result.parts)):
            if picture:
                check(picture)
    assert answered > 40


def test_in_jupyter_a_change_is_followed_and_an_error_keeps_the_last_result():
    view = show("8.workbench", {"model": "gpt-oss-20b"})
    assert view.boxes["model"].value == "gpt-oss-20b"
    view.boxes["model"].value = "llama-3.1-8b"
    view.boxes["prefill_workers"].value = "5"
    assert "Decode gives way first, at 4.69 requests/s." in view.result.value
    good = view.result.value
    view.boxes["prefill_workers"].value = "8"
    assert "give 7 or fewer" in view.errors["prefill_workers"].value
    assert f'<div class="kv-stale">{good}</div>' in view.result.value
