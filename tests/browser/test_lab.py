"""A reader opens a chapter in JupyterLab, runs it, and answers an exercise."""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import urllib.request

import pytest

from .built import ROOT, SCREENSHOTS

MINUTE = 60_000  # milliseconds
NO_NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}

# What the open notebook says of itself: cells that ran, cells that failed, what the kernel does.
STATE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = panel.content.widgets.map(w => w.model.toJSON());
  const code = cells.filter(c => c.cell_type === "code" && c.source.length);
  return {
    kernel: panel.sessionContext.session?.kernel?.status,
    waiting: code.filter(c => c.execution_count === null).length,
    errors: code.flatMap(c => c.outputs)
      .filter(o => o.output_type === "error" || o.name === "stderr"),
  };
}"""
HAS_RUN = f"() => {{ const s = ({STATE})(); return s.kernel === 'idle' && s.waiting === 0; }}"
IS_OPEN = "window.jupyterapp?.shell.currentWidget?.content?.widgets"
IS_READY = f"() => {IS_OPEN} && ({STATE})().kernel === 'idle'"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def lab(tmp_path):
    """JupyterLab on a copy of the chapters, without this user's settings; yields its address."""
    pytest.importorskip("jupyterlab", reason="`make browser-test` installs it")
    skipped = shutil.ignore_patterns("browser", ".ipynb_checkpoints")
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=skipped)
    settings = tmp_path / "config" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(NO_NEWS))
    places = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    environment = {k: v for k, v in os.environ.items() if k != "KVLIB_STATIC"}
    environment |= {f"JUPYTER_{name}": str(tmp_path / name[:-4].lower()) for name in places}
    environment |= {"IPYTHONDIR": str(tmp_path / "ipython")}
    port, token = free_port(), secrets.token_hex()
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={tmp_path}",
        "--LabApp.expose_app_in_browser=True",
        f"--LabApp.user_settings_dir={tmp_path / 'settings'}",
        f"--LabApp.workspaces_dir={tmp_path / 'workspaces'}",
    ]
    log = tmp_path / "lab.log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            wait_until_up(f"http://127.0.0.1:{port}/api/status?token={token}", server, log)
            yield f"http://127.0.0.1:{port}/lab/tree/book/{{}}?token={token}"
        finally:
            server.terminate()
            server.wait(timeout=30)


def wait_until_up(address, server, log):
    """Return when the server answers; fail with its log if it ends or takes a minute."""
    for _ in range(240):
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=0.25)
            break
    pytest.fail(f"JupyterLab does not answer:\n{log.read_text()[-3000:]}")


def opened(chromium, address):
    """Return the page of a chapter that has run from top to bottom without an error."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(MINUTE)
    page.goto(address)
    page.wait_for_function(IS_READY)
    page.locator(".jp-Notebook").click(position={"x": 5, "y": 5})
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(HAS_RUN)
    assert page.evaluate(STATE)["errors"] == []
    return page


def test_a_chapter_runs_and_an_exercise_answers(chromium, lab):
    page = opened(chromium, lab.format("1_bytes.ipynb"))
    box = page.get_by_label(re.compile(r"\b1\.1\b")).first
    box.scroll_into_view_if_needed()
    exercise = page.locator(".jp-OutputArea-output").filter(has=box)
    feedback = exercise.get_by_role("status")
    box.fill("1 GB")
    exercise.get_by_role("button", name="Check").click()
    feedback.filter(has_text=re.compile(r"\bGB\b")).first.wait_for()
    assert re.search(r"\bGiB\b", feedback.inner_text())
    page.screenshot(path=SCREENSHOTS / "lab-1_bytes.png")
    box.fill("")
    box.press_sequentially("1 GiB", delay=0)  # as fast as keys go: Enter checks what stands there
    box.press("Enter")
    feedback.filter(has_text="Correct: 1.00 GiB.").first.wait_for()
    exercise.get_by_role("button", name="Hint").click()
    feedback.filter(has_text="Hint 1").first.wait_for()
    assert ":::" not in page.locator(".jp-Notebook").inner_text()  # jupyterlab-myst renders boxes
    page.close()


# Milliseconds from a change of the arrivals to the new headline, as a reader sees them.
CHANGES = """async label => {
  const box = document.querySelector(`[aria-label="${label}"], [placeholder="${label}"]`)
    ?? [...document.querySelectorAll(".widget-text")]
      .find(w => w.textContent.startsWith(label)).querySelector("input");
  const out = box.closest(".jp-OutputArea-output");
  const times = [];
  for (let i = 0; i < 12; i++) {
    const wanted = `The queue at ${(1 + i / 10).toFixed(2)}`;
    const start = performance.now();
    box.value = `${1 + i / 10} requests/s`;
    box.dispatchEvent(new Event("input", {bubbles: true}));
    while (!out.textContent.includes(wanted)) await new Promise(next => setTimeout(next, 2));
    times.push(performance.now() - start);
  }
  return times;
}"""


def test_the_workbench_follows_in_jupyterlab(chromium, lab):
    page = opened(chromium, lab.format("8_workbench.ipynb"))
    bench = page.locator(".jp-OutputArea-output").filter(has_text="Workers, all together").first
    bench.scroll_into_view_if_needed()
    headline = bench.locator(".kv-headline").first
    headline.filter(has_text="Prefill gives way first, at 2.93 requests/s.").wait_for()
    bench.get_by_label("Prefill workers, of all").fill("6")
    headline.filter(has_text="Decode gives way first, at 3.12 requests/s.").wait_for()
    bench.get_by_label("Prefill workers, of all").fill("8")
    bench.get_by_role("alert").filter(has_text="give 7 or fewer").wait_for()
    headline.filter(has_text="Decode gives way first, at 3.12 requests/s.").wait_for()
    bench.get_by_label("Prefill workers, of all").fill("3")
    bench.get_by_role("button", name="Keep this one").click()
    bench.get_by_label("Model", exact=True).select_option("deepseek-v3")
    bench.get_by_text("Side by side", exact=True).wait_for()
    page.screenshot(path=SCREENSHOTS / "lab-8_workbench.png")
    times = sorted(page.evaluate(CHANGES, "Arrivals"))
    print(f"a change in JupyterLab: median {times[6]:.0f} ms, longest {times[-1]:.0f} ms")
