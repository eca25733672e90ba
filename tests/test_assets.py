"""What comes from npm is pinned to the byte; what GitHub publishes is the book that was tested."""

import json
import os
import re
import shutil
import subprocess

import pytest
import yaml
from pages import ROOT

BROWSER = ROOT / "book/browser"
MAIN_ONLY = "github.ref == 'refs/heads/main'"


def parsed(name):
    """Return one of npm's files."""
    return json.loads((BROWSER / name).read_text(encoding="utf-8"))


def test_every_package_is_locked_to_its_bytes_and_to_no_address():
    lock = parsed("package-lock.json")["packages"]
    for name, package in lock.items():
        if name:
            assert re.fullmatch(r"sha512-[\w+/]{86}==", package["integrity"]), name
        package.pop("funding", None)
    assert "resolved" not in json.dumps(lock) and "http" not in json.dumps(lock)
    assert "omit-lockfile-registry-resolved=true" in (BROWSER / ".npmrc").read_text("utf-8")


def test_package_json_asks_for_the_versions_that_are_locked():
    wanted, lock = parsed("package.json"), parsed("package-lock.json")["packages"]
    for kind in ("dependencies", "devDependencies"):
        assert wanted[kind] == lock[""][kind]
        for name, version in wanted[kind].items():
            assert re.fullmatch(r"\d+\.\d+\.\d+", version)
            found = lock[f"node_modules/{name}"]
            assert found["version"] == version
            assert found.get("dev", False) == (kind == "devDependencies")


@pytest.mark.parametrize(
    ("node", "said"), [("18.20.4", "needs Node.js 20 or newer"), ("24.1.0", "not fetch .*E503")]
)
def test_what_cannot_be_fetched_is_said_in_one_sentence(tmp_path, node, said):
    here, commands = tmp_path / "book/browser", tmp_path / ".venv/bin"
    here.mkdir(parents=True)
    commands.mkdir(parents=True)
    script = shutil.copy(BROWSER / "fetch.sh", here)
    failing = "echo npm error code E503 >&2; exit 1"
    for name, does in {"python": failing, "npm": failing, "node": f"echo v{node}"}.items():
        (commands / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        (commands / name).chmod(0o755)
    path = f"{commands}:{os.environ['PATH']}"
    done = subprocess.run(["sh", script], env={"PATH": path}, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(f".*{said}.*\n", done.stderr)


def test_the_workflow_publishes_from_main_the_book_that_it_tested():
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    flow = yaml.safe_load(text)
    test, publish = flow["jobs"]["test"], flow["jobs"]["publish"]
    *_, run, upload = test["steps"]
    assert run["run"] == ".ci/run" and "continue-on-error" not in run
    assert upload["uses"].startswith("actions/upload-pages-artifact@")
    assert upload["if"] == MAIN_ONLY and upload["with"] == {"path": "_build/html"}
    assert publish["if"] == MAIN_ONLY and publish["needs"] == "test"
    assert flow["permissions"] == {"contents": "read"} and "permissions" not in test
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert flow[True]["push"] == {"branches": ["main"]}  # YAML reads `on` as true
    assert flow["concurrency"]["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    assert all("timeout-minutes" in job for job in flow["jobs"].values())
    assert "cost-of-moving-kv/" not in text and "secrets" not in text  # a fork runs it as it is
