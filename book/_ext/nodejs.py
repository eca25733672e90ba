"""Find Node.js, which some of the build runs under."""

import shutil
import sys
from pathlib import Path

from sphinx.errors import ExtensionError

MODULES = Path(__file__).parents[1] / "browser/node_modules"


def node_for(package):
    """Return this machine's Node, else the environment's.

    Raises ExtensionError without it, or without the npm package.
    """
    beside_python = str(Path(sys.executable).parent)
    node = shutil.which("node") or shutil.which("node", path=beside_python)
    if node is None or not (MODULES / package).exists():
        raise ExtensionError(
            f"The build needs {package if node else 'Node.js'}:"
            " run `make book`, which fetches what is missing."
        )
    return node
