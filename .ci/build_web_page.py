"""Build hook: puts the migrations and the built web page into the wheel.

An editable install serves frontend/dist and migrations/ from the checkout, so nothing is copied there.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebPageHook(BuildHookInterface):
    """Builds the page when the checkout has none yet, then adds it as backend/web."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self.target_name != "wheel":
            return
        root = Path(self.root)
        included = build_data["force_include"]
        if (root / "migrations").is_dir():
            included[str(root / "migrations")] = "backend/migrations"
        if self._page_is_there(root):
            included[str(root / "frontend" / "dist")] = "backend/web"

    def _page_is_there(self, root: Path) -> bool:
        built = root / "frontend" / "dist" / "index.html"
        if not built.is_file() and (root / "frontend" / "index.html").is_file():
            self._build_page(root)
        return built.is_file()

    def _build_page(self, root: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            self.app.display_warning("No npm here: the wheel is built without the web page.")
            return
        subprocess.run([npm, "ci"], cwd=root, check=True)
        subprocess.run([npm, "run", "build"], cwd=root, check=True)
