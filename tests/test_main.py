"""`python -m kvlib`: what is printed, what is read, and what is refused in one sentence."""

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest
from claims.chapter import made
from pages import BOOK, markdown

from kvlib.__main__ import OPTIONS, main
from kvlib.engines import VLLM
from kvlib.hits import MOVES_MISSING
from kvlib.models import load
from kvlib.payload import Geometry
from kvlib.quantization import FORMATS
from kvlib.units import GB, Gbit_s
from kvlib.workbench import Setup, as_json, as_markdown, as_text, report

CONFIG = {
    "model_type": "qwen3",
    "num_hidden_layers": 36,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
}


def printed(capsys, *argv):
    main(argv)
    return capsys.readouterr().out


def refused(capsys, *argv):
    with pytest.raises(SystemExit) as caught:
        main(argv)
    shown = capsys.readouterr()
    assert caught.value.code == 2 and shown.out == "" and shown.err.count("\n") == 1
    return shown.err.removeprefix("python -m kvlib: ").removesuffix("\n")


def test_alone_it_prints_the_running_example_and_its_result_first():
    command = [sys.executable, "-m", "kvlib"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == as_text(report(Setup())) + "\n" and done.stderr == ""
    assert done.stdout.startswith("Prefill gives way first, at 2.93 requests/s.\n")


def test_options_are_the_fields_of_a_set_up(capsys):
    line = (
        "--model llama-3.1-8b --prompt 32768 --output 100 --format fp8_e4m3 --source-hit 4096 "
        "--destination-hit 160 --protocol missing --tp 2:4 --engine vllm --page 32 --share 50% "
        "--efficiency 0.8 --pieces 4 --piece-cost 0.5ms --no-overlap --split 3:6 "
        "--prefill-rate 9000 --decode-rate 700tokens/s --decode-memory 60GB --batch 16 "
        "--arrivals 4 --target 2s --json"
    )
    stated = Setup(
        model=load("llama-3.1-8b"), prompt_tokens=32_768, output_tokens=100,
        key_format=FORMATS["fp8_e4m3"], source_hit=4_096, destination_hit=160,
        protocol=MOVES_MISSING, prefill_tp=2, decode_tp=4, engine=replace(VLLM, page=32),
        link_rate=400 * Gbit_s, share=0.5, efficiency=0.8, pieces=4, piece_seconds=0.0005,
        overlap=False, workers=9, prefill_workers=3, prefill_rate=9_000, decode_rate=700,
        decode_memory=60 * GB, batch=16, arrival_rate=4, target_seconds=2,
    )  # fmt: skip
    text = printed(capsys, *line.split(), "--link", "InfiniBand NDR")
    assert json.loads(text) == as_json(report(stated))
    once = printed(capsys, *line.replace("--json", "--markdown").split(), "--link", "400 Gb/s")
    assert once == as_markdown(report(stated)) + "\n"


def test_a_config_and_a_geometry_are_models(capsys, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    own = Geometry(layers=36, kv_heads=8, head_dim=128)
    for argv in (("--config", str(path)), ("--config", str(tmp_path)), ("--geometry", "36:8:128")):
        found = json.loads(printed(capsys, *argv, "--json", "--link", "10 Gb/s"))
        assert found["wire_bytes"] == report(Setup(model=own)).sizes.wire_bytes
        assert found["first"] == ["network"]


def test_help_names_every_unit_and_is_not_too_wide(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    text = capsys.readouterr().out
    assert caught.value.code == 0 and max(map(len, text.splitlines())) <= 100
    for group in OPTIONS.values():
        assert all(option in text for option in group)
    for unit in ("Gb/s", "GB/s", "tokens/s", "requests/s", "60 GB", '"0.5 ms"', '"2 s"', "80%"):
        assert unit in text


REFUSED = {
    "--link 25": "--link: type a number and its unit, as in 200 Gb/s, got '25'",
    "--link 25gb": "--link: write GB/s for bytes or Gb/s for bits, got '25gb'",
    "--link 1e400GB/s": "--link: type a number and its unit, as in 200 Gb/s, got '1e400GB/s'",
    "--link=-1GB/s": "--link: link_rate must be more than 0, got -1000000000",
    "--link nan": "--link: type a number and its unit, as in 200 Gb/s, got 'nan'",
    "--prompt 1e400": "--prompt: type a whole number, got '1e400'",
    "--prompt -5": "--prompt: prompt_tokens must be from 1 to 1,000,000,000, got -5",
    "--prompt 10.000": "--prompt: write 10,000 or 10000, got '10.000'",
    "--prompt 1.5": "--prompt: type a whole number, got '1.5'",
    "--target 5": "--target: type a number and its unit, as in 2 s, got '5'",
    "--share 3": "--share: share must be at most 1, got 3; a fraction, as in 0.8",
    "--model lama-3.1-8b": "--model: name must be a known name, got 'lama-3.1-8b'; "
    "did you mean 'llama-3.1-8b'?",
    "--engine vlm": "--engine: name must be a known name, got 'vlm'; did you mean 'vllm'?",
    "--geometry 32:8": "--geometry: type layers:kv_heads:head_dim, as in 32:8:128, got '32:8'",
    "--geometry 0:8:128": "--geometry: layers must be from 1 to 10,000,000, got 0",
    "--tp 1:2:3": "--tp: type two numbers, as in 3:5, got '1:2:3'",
    "--tp 3": "--tp: prefill_tp must be a divisor or a multiple of 8 KV heads, got 3; "
    "1, 2, 4, 8, 16 and 24 work",
    "--split 5": "--split: type prefill:decode, as in 3:5, got '5'",
    "--split 8:0": "--split: prefill_workers must leave at least one of workers=8 for decode, "
    "got 8; give 7 or fewer",
    "--split 200:200": "--split: workers must be from 2 to 256, got 400",
    "--page 0": "--page: page must be from 1 to 1,000,000, got 0",
    "--batch 4": "--decode-memory: decode_memory must be given, as both say how many requests "
    "memory must hold, got None",
    "--config /no/such/file": "--config: config must be an existing file, got '/no/such/file'; "
    "give a path, the text of a config.json or a mapping",
    "--config /": "--config: config must be an existing file, got '/config.json'; "
    "give a path, the text of a config.json or a mapping",
    "--config": "--config: expected one argument",
    "--json --markdown": "--markdown: not allowed with argument --json",
    "--modell x": "unrecognized arguments: --modell x",
}


@pytest.mark.parametrize(("line", "message"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_read_is_said_in_one_sentence(capsys, line, message):
    assert refused(capsys, *line.split()) == message


def test_a_file_that_is_no_config_is_said_in_one_sentence(capsys, tmp_path):
    path = tmp_path / "config.json"
    for text, message in (
        ("{", "config must be valid JSON, got an error at line 1, column 2; is it whole?"),
        ("[]", "config must be a JSON object, got [] (list)"),
        ('{"a": 1e400, "a": 1}', "a must be given once, got it twice"),
    ):
        path.write_text(text, encoding="utf-8")
        assert refused(capsys, "--config", str(path)) == f"--config: {message}"
    path.write_text(json.dumps(CONFIG | {"num_hidden_layers": -1}), encoding="utf-8")
    assert refused(capsys, "--config", str(path)).startswith("--config: num_hidden_layers must be ")


def test_an_error_leaves_exit_code_2_and_no_traceback():
    command = [sys.executable, "-m", "kvlib", "--link", "25"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_reader_that_stops_reading_is_no_error():
    command = [sys.executable, "-m", "kvlib", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_the_command_of_chapter_8_gives_what_its_cells_show(capsys):
    text = markdown(BOOK / "8_workbench.ipynb")
    (command,) = re.findall(r"^python -m kvlib (.*?)^```", text, flags=re.M | re.S)
    cells = made("8_workbench")
    capsys.readouterr()  # what the cells print
    assert json.loads(printed(capsys, *shlex.split(command.replace("\\\n", "")))) == json.loads(
        json.dumps(cells["data"])
    )
