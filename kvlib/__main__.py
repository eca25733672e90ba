"""`python -m kvlib`: the workbench's report of a set-up that is typed as options.

    python -m kvlib --model llama-3.1-8b --prompt 32768 --link "200 Gb/s" --split 3:5

Every option left out is the book's running example. Quantities are typed with their units; where
a bit could be taken for a byte, a number without one is refused. What cannot be read or counted is
said in one sentence on stderr, with exit code 2.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from kvlib.engines import ENGINES, SGLANG
from kvlib.hits import PROTOCOLS
from kvlib.models import from_config, load, names
from kvlib.quantization import FORMATS
from kvlib.workbench import Setup, as_json, as_markdown, as_text, report
from kvlib.workbench.typed import (
    amount,
    fraction,
    geometry,
    link_rate,
    one_of,
    pair,
    split,
    tokens,
    whole,
)

PROGRAM = "python -m kvlib"
PRINTERS = {
    "text": as_text,
    "markdown": as_markdown,
    "json": lambda found: json.dumps(as_json(found), indent=2, ensure_ascii=False),
}
ABOUT = (
    "What it costs to hand a prompt's KV cache from prefill to decode, and which part of the "
    "service gives way first. What is left out is the book's running example."
)
EXAMPLE = (
    'example: python -m kvlib --model llama-3.1-8b --prompt 32768 --link "200 Gb/s" --split 3:5'
)
FORM = one_of(FORMATS, FORMATS.__getitem__, {"fp8": "fp8_e4m3"})
TOKEN_RATE = amount("token rate", "8,000 tokens/s", bare="tokens/s")
REQUESTS = amount("requests", "2 requests/s", bare="requests/s")
OPTIONS = {  # group: option: where it goes, how it is read, what stands for it, what it is
    "the model": {
        "--model": ("model", one_of(names(), load), "NAME", "a known name, as llama-3.1-8b"),
        "--config": ("config", Path, "PATH", "a Hugging Face config.json, or its folder"),
        "--geometry": ("model", geometry, "L:H:D", "layers, KV heads, head size, as 32:8:128"),
    },
    "the request": {
        "--prompt": ("prompt_tokens", tokens, "TOKENS", "default 8,192"),
        "--output": ("output_tokens", tokens, "TOKENS", "default 512"),
        "--format": ("key_format", FORM, "NAME", "of the cache at both ends, as fp8_e4m3"),
        "--value-format": ("value_format", FORM, "NAME", "of the rotary key of MLA, if another"),
        "--source-hit": ("source_hit", tokens, "TOKENS", "held by prefill: spares compute"),
        "--destination-hit": ("destination_hit", tokens, "TOKENS", "held by decode"),
        "--protocol": ("protocol", one_of(PROTOCOLS, PROTOCOLS.__getitem__), "NAME",
                       "what moves: all (default), suffix or missing"),
    },
    "the two ends": {
        "--tp": ("tp", pair, "P:D", "ranks that share attention, default 1:1"),
        "--engine": ("engine", one_of(ENGINES, ENGINES.__getitem__), "NAME",
                     "sglang (default) or vllm"),
        "--page": ("page", tokens, "TOKENS", "of the engine, default 1, for vllm 16"),
    },
    "the link, shared by all hand-offs": {
        "--link": ("link_rate", link_rate, "RATE",
                   'as "200 Gb/s" (default), "25 GB/s" or "InfiniBand NDR"'),
        "--share": ("share", fraction, "PART", "that hand-offs get of it, as 50%%"),
        "--efficiency": ("efficiency", fraction, "PART", "that transfers reach, as 80%%"),
        "--pieces": ("pieces", whole, "N", "equal pieces of a hand-off, default 1"),
        "--piece-cost": ("piece_seconds", amount("seconds", "0.5 ms"), "TIME",
                         'of each piece beside its bytes, as "0.5 ms"'),
    },
    "workers and load": {
        "--split": ("split", split, "P:D", "prefill and decode workers, default 3:5"),
        "--prefill-rate": ("prefill_rate", TOKEN_RATE, "RATE",
                           "tokens/s of one worker, default 8,000"),
        "--decode-rate": ("decode_rate", TOKEN_RATE, "RATE",
                          "tokens/s of one worker, default 800"),
        "--decode-memory": ("decode_memory", amount("bytes", "60 GB"), "SIZE",
                            'for caches on all ranks of one, as "60 GB"; with --batch'),
        "--batch": ("batch", whole, "N", "requests that a decode worker runs at once"),
        "--arrivals": ("arrival_rate", REQUESTS, "RATE", "requests/s, default 2"),
        "--target": ("target_seconds", amount("seconds", "2 s"), "TIME",
                     'to the first token, as "2 s"'),
    },
}  # fmt: skip
OPTION_OF = {
    "decode_tp": "--tp",
    "prefill_tp": "--tp",
    "prefill_workers": "--split",
    "workers": "--split",
}
OPTION_OF |= {o[0]: flag for group in OPTIONS.values() for flag, o in reversed(group.items())}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message.removeprefix('argument ')}\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the report of the set-up in `argv`, else in the command line.

    Raises SystemExit with code 2, after one sentence on stderr, for what is no set-up.
    """
    parser = _parser()
    given = vars(parser.parse_args(argv))
    printer = PRINTERS[given.pop("as") or "text"]
    try:
        printed = printer(report(Setup(**_fields(given))))
    except (TypeError, ValueError, OSError) as problem:
        parser.error(_with_option(str(problem)))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack the sign for micro
    try:
        print(printed, flush=True)
    except BrokenPipeError:  # as after `| head`: whoever reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a Setup that were typed; those left out keep their defaults."""
    given = {key: value for key, value in options.items() if value is not None}
    given.setdefault("engine", SGLANG)
    if "page" in given:
        given["engine"] = replace(given["engine"], page=given.pop("page"))
    if "config" in given:
        given["model"] = from_config(given.pop("config"))
    if "split" in given:
        prefill, decode = given.pop("split")
        given |= {"prefill_workers": prefill, "workers": prefill + decode}
    if "tp" in given:
        given["prefill_tp"], given["decode_tp"] = given.pop("tp")
    return given


def _with_option(message: str) -> str:
    """Return an error's message behind the option that its field belongs to."""
    call, _, rest = message.partition(": ")
    if call in ("from_config", "Engine"):
        return f"{'--page' if call == 'Engine' else '--config'}: {rest}"
    option = OPTION_OF.get(rest.split(" ", 1)[0])
    return f"{option}: {rest}" if option else message


def _parser() -> argparse.ArgumentParser:
    epilog = f"{EXAMPLE}; known models: {', '.join(names())}"
    parser = _Parser(prog=PROGRAM, allow_abbrev=False, description=ABOUT, epilog=epilog)
    for title, options in OPTIONS.items():
        group = parser.add_argument_group(title)
        which = group.add_mutually_exclusive_group() if title == "the model" else group
        for flag, (field, read, metavar, words) in options.items():
            which.add_argument(flag, dest=field, type=read, metavar=metavar, help=words)
    parser.add_argument(
        "--no-overlap", dest="overlap", action="store_const", const=False,
        help="send all pieces after prefill",
    )  # fmt: skip
    shown = parser.add_mutually_exclusive_group()
    for name, words in (("json", "print a JSON object"), ("markdown", "print Markdown")):
        shown.add_argument(f"--{name}", dest="as", action="store_const", const=name, help=words)
    return parser


if __name__ == "__main__":
    main()
