"""Make the two archives that a page's Python imports from; runs in Pyodide.

Pyodide's standard library is source, which every page would compile anew.
/out/python_stdlib.zip holds what kvlib and Pyodide use of it, compiled:
fewer bytes, half the seconds. /out/kvlib.zip holds the files of kvlib as
they are, and compiled ones that count only if they fit the source.
"""

import importlib
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash
from pathlib import Path

SITE = Path("/site")
STDLIB = zipfile.ZipFile("/pyodide/python_stdlib.zip")
MOUNTED = "/lib/python314.zip"  # where Pyodide puts it
AT_NEED = ("traceback",)  # what Python imports when something fails


def put(archive, name, data):
    """Add a file, with a date that is always the same."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    archive.writestr(info, data, zipfile.ZIP_DEFLATED, 9)


def compiled(source, path, checked):
    """Return the .pyc of a source; a checked one is held against it."""
    code = compile(source, path, "exec", dont_inherit=True)
    return _code_to_hash_pyc(code, source_hash(source), checked)


def load_all(files):
    """Import every module of kvlib that the browser can."""
    sys.path.insert(0, str(SITE))
    sys.dont_write_bytecode = True
    for path in files:
        name = path.relative_to(SITE).with_suffix("")
        try:
            importlib.import_module(".".join(name.parts))
        except ModuleNotFoundError as missing:
            if missing.name.startswith("kvlib"):
                raise


def write():
    """Write both archives."""
    files = sorted(p for p in SITE.glob("kvlib/**/*") if p.is_file())
    modules = [p for p in files if p.suffix == ".py"]
    load_all(modules)
    for name in AT_NEED:
        importlib.import_module(name)
    with zipfile.ZipFile("/out/kvlib.zip", "w") as archive:
        for path in files:
            name = path.relative_to(SITE).as_posix()
            source = path.read_bytes()
            if path.suffix in (".py", ".json"):
                put(archive, name, source)
            if path.suffix == ".py":
                pyc = compiled(
                    source, f"/lib/kvlib.zip/{name}", checked=True
                )
                put(archive, f"{name}c", pyc)
    used = {getattr(m, "__file__", None) for m in sys.modules.values()}
    with zipfile.ZipFile("/out/python_stdlib.zip", "w") as archive:
        for name in sorted(STDLIB.namelist()):
            path = f"{MOUNTED}/{name}"
            if path in used:
                pyc = compiled(STDLIB.read(name), path, checked=False)
                put(archive, f"{name}c", pyc)


write()
