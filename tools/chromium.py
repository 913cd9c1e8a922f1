"""Chromium, for tests of the site, its measures and its PDF: where it is, or how to get it."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium() -> str | None:
    """The system's, else Debian's installed as root, else Playwright's own, which is None."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True, capture_output=True)
        install = ["apt-get", "install", "-qq", "--no-install-recommends", "chromium"]
        subprocess.run(install, check=True, capture_output=True)
        path = shutil.which("chromium")
    if path is None:
        install = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(install, check=True, capture_output=True)
    return path
