"""The shape of the project: import layers, the chapter map, notebooks clean and canonical."""

import ast
import json
import re
import subprocess
import sys

import pytest
from pages import BOOK, CHAPTERS, ROOT, cells, markdown, prose, source

from kvlib.exercises import QUESTIONS

PACKAGE = ROOT / "kvlib"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = {  # module: what it may import from kvlib
    "_check": set(),
    "units": {"_check"},
    "palette": set(),
    "wording": {"_check", "units"},
    "payload": {"_check"},
    "bandwidth": {"_check", "units"},
    "queueing": {"_check"},
    "models": {"_check", "payload"},
    "engines": {"_check", "payload"},
    "hits": {"_check", "units", "payload", "bandwidth"},
    "layout": {"_check", "payload", "engines"},
    "quantization": {"_check", "payload", "bandwidth"},
    "overlap": {"_check", "bandwidth"},
    "logs": {"_check", "units", "wording", "payload", "bandwidth", "layout", "quantization"},
    "budget": {"_check", "units", "payload", "bandwidth", "models", "engines", "hits", "queueing"},
}
LAYERS["workbench"] = set(LAYERS) - {"palette"}  # all formulas, composed
FORMULAS = set(LAYERS)  # and the colours and words that every drawing shares
LAYERS["figures"] = FORMULAS
LAYERS["exercises"] = FORMULAS
LAYERS["apps"] = FORMULAS | {"exercises"}
LAYERS["__main__"] = FORMULAS
LAYERS["show"] = FORMULAS | {"exercises", "apps", "figures"}
CHAPTER_MODULES = {
    "1_bytes": "payload",
    "2_bandwidth": "bandwidth",
    "3_cache_hits": "hits",
    "4_tp_layout": "layout",
    "5_quantization": "quantization",
    "6_overlap": "overlap",
    "7_service_budget": "budget",
    "8_workbench": "workbench",
}
TWO_HALVES = {"7_service_budget": 2_300}  # words: bounds, then waiting; two sittings
ARRAYS = {  # files that move or pack real arrays, and what they may import for it
    "layout/execute.py": {"numpy"},
    "quantization/pack.py": {"numpy"},
    "quantization/encode.py": {"numpy", "ml_dtypes"},
    "quantization/decode.py": {"numpy"},
    "quantization/error.py": {"numpy"},
}


def concept(path):
    """Return the module or package of the map that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """Return the names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_up_the_table_only(path):
    mine = concept(path)
    if mine == "__init__":
        assert imports(path) == set()
        return
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("kvlib.")}
    assert ours - {mine} <= LAYERS[mine]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_renderers_and_the_figures_need_more_than_python(path):
    outside = {n.split(".")[0] for n in imports(path)} - {"kvlib"} - sys.stdlib_module_names
    allowed = {"figures": {"matplotlib", "matplotlib_inline"}, "show": {"ipywidgets", "traitlets"}}
    arrays = ARRAYS.get(path.relative_to(PACKAGE).as_posix(), set())
    assert outside <= allowed.get(concept(path), arrays)
    if "ipywidgets" in outside:
        assert path.name == "widgets.py"


def test_formulas_exercises_apps_and_forms_run_with_heavy_imports_blocked():
    code = (
        "import sys\n"
        "for name in ('numpy', 'ml_dtypes', 'matplotlib', 'ipywidgets', 'IPython'):\n"
        "    sys.modules[name] = None\n"
        "import kvlib.budget, kvlib.engines, kvlib.layout, kvlib.logs, kvlib.quantization\n"
        "import kvlib.queueing, kvlib.workbench\n"
        "from kvlib.apps import APPS\n"
        "from kvlib.show.html import form\n"
        "print(sum(len(form(app)) > 500 for app in APPS.values()), len(APPS))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown, apps = done.stdout.split()
    assert shown == apps


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_file_holds_one_idea(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 260


def written_out(node):
    """Return whether an expression spells a unit's size instead of naming the unit."""
    if isinstance(node, ast.Constant):
        return type(node.value) is float and node.value in (1e12, 1e9, 1e6, 1e3, 1e-3)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return ast.unparse(node) in ("2 ** 10", "2 ** 20", "2 ** 30", "2 ** 40", "10 ** 12")
    return False


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_unit_constants_stand_in_units_alone(path):
    if path.name != "units.py":
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert [ast.unparse(node) for node in nodes if written_out(node)] == []


def test_every_chapter_has_its_module_exercises_apps_and_tests():
    assert [path.stem for path in CHAPTERS] == list(CHAPTER_MODULES)
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    index = (BOOK / "index.md").read_text(encoding="utf-8")
    for stem, module in CHAPTER_MODULES.items():
        for folder in (PACKAGE, PACKAGE / "exercises", PACKAGE / "apps"):
            assert (folder / f"{module}.py").is_file() or (folder / module).is_dir()
        assert (ROOT / "tests" / f"test_{module}.py").is_file()
        assert f"book/{stem}" in toc and f"{stem}.ipynb" in index


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
class TestNotebook:
    def test_is_canonical_and_has_no_outputs(self, path):
        text = path.read_text(encoding="utf-8")
        notebook = json.loads(text)
        again = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        assert text == again
        ids = [c["id"] for c in notebook["cells"]]
        assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[a-z0-9-]+", i) for i in ids)
        for cell in cells(path, "code"):
            assert cell["outputs"] == [] and cell["execution_count"] is None
            assert set(cell["metadata"]) <= {"jupyter", "mystnb", "nbmake", "tags"}

    def test_code_is_short_and_plain(self, path):
        for cell in cells(path, "code"):
            text = source(cell)
            assert len(text.splitlines()) <= 15 and max(map(len, text.splitlines())) <= 76
            for word in ("import *", "sys.path", "!pip", "%pip", "http", "open("):
                assert word not in text
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef):
                    assert node.end_lineno - node.lineno < 5

    def test_imports_stand_in_the_first_code_cell(self, path):
        first, *rest = cells(path, "code")
        assert "use_style()" in source(first)
        assert not any(re.search(r"^(import|from) ", source(c), flags=re.M) for c in rest)

    def test_has_every_part_in_order(self, path):
        text = markdown(path)
        parts = [
            r"^# \w+.*\n\n\*\*.+\?\*\*",
            r"```\{admonition\} At a glance\n",
            r"^\*\*Afterwards you can\*\*",
            r"^\*\*You need\*\*",
            r"^\*\*Time\*\* \d+ minutes to read, \d+ to practise\. .*mybinder",
            r"^## Predict",
            r"^\*\*Units\.\*\*",
            r"^\*\*Worked number\.\*\*",
            r"^## A common mistake",
            r"^## Seen in the wild",
            r"^## Where the model stops",
            r"^## Exercises",
            r"^## Key points",
            r"^\*\*If you remember one number:\*\*",
            r"^\*\*Next:\*\*",
            r"\*\*Sources\*\*, read .*20\d\d",
        ]
        spots = []
        for part in parts:
            found = re.search(part, text, flags=re.M)
            assert found, part
            spots.append(found.start())
        assert spots == sorted(spots)

    def test_has_an_explorer_its_table_and_its_source(self, path):
        code = "\n".join(source(c) for c in cells(path, "code"))
        number = path.stem[0]
        shown = {"8": "8.workbench"}.get(number, f"{number}.explore")
        assert f'show("{shown}")' in code and re.search(r"^source\(", code, flags=re.M)
        assert f'ask("{number}.predict")' in code
        texts = [c["id"] for c in cells(path, "markdown")]
        assert "explore-table" in texts

    def test_exercises_stand_in_order_with_solution_and_rehearsal(self, path):
        number = path.stem[0]
        keys = [key for key in QUESTIONS if key.startswith(number + ".")]
        asks = [c for c in cells(path, "code") if source(c).startswith("ask(")]
        assert [re.findall(r'"(.+)"', source(c))[0] for c in asks] == keys
        assert len(keys) >= 5
        assert {"recall", "transfer", "decide", "open"} <= {QUESTIONS[k].level for k in keys}
        hooks = {"\n".join(c["metadata"]["nbmake"]["post_cell_execute"]) for c in asks}
        assert len(hooks) == 1 and "rehearsal(_.question)" in hooks.pop()
        text = markdown(path)
        for key in keys:
            question = QUESTIONS[key]
            if not key.endswith("predict"):
                level = f"**{key}** *{question.level.capitalize()}, {question.minutes} minutes.*"
                assert level in text
                assert f"```{{admonition}} Solution {key}\n:class: dropdown\n" in text

    def test_reads_in_ten_to_fifteen_minutes(self, path):
        words, most = len(prose(path).split()), TWO_HALVES.get(path.stem, 1_800)
        assert 1_200 <= words <= most, words
        boxes = re.findall(r"```\{(?:admonition|note|warning|tip)\}", prose_boxes(path))
        assert len(boxes) <= 4

    def test_figures_say_what_they_show(self, path):
        drawn = [
            c
            for c in cells(path, "code")
            if re.search(r"^(\w+ = )?(lines|lanes)\(", source(c), re.M)
        ]
        assert drawn
        for cell in drawn:
            shown = cell["metadata"]["mystnb"]
            assert 3 <= len(shown["figure"]["caption"].split()) <= 16
            assert shown["figure"]["name"].startswith("fig-")
            assert len(shown["image"]["alt"]) >= 40

    def test_prose_keeps_its_manners(self, path):
        text = prose(path)
        banned = r"\b(simply|just|obviously|of course|clearly|trivial\w*|note that|easy|easily)\b|!"
        assert not re.findall(banned, text, flags=re.I)
        plain = re.sub(r"\$[^$]*\$", "x", text)
        sentences = re.split(r"(?<=[.?:;])[\"”]?\s+|\n\n|^- ", plain, flags=re.M)
        assert [s for s in sentences if len(s.split()) > 25] == []


def prose_boxes(path):
    """Return the markdown of a page without its folded solutions."""
    return re.sub(r"```\{admonition\} Solution.*?```", "", markdown(path), flags=re.S)


def test_binder_pins_what_the_book_pins():
    def pins(path):
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        return dict(line.split("#")[0].strip().split("==") for line in lines if "==" in line)

    ours, theirs = pins("requirements.txt"), pins(".binder/requirements.txt")
    shared = ours.keys() & theirs.keys()
    assert {"numpy", "ml_dtypes", "matplotlib", "ipywidgets"} <= shared
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
