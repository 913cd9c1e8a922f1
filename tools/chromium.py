"""What looks at the site: Chromium, where it is or how to get it, and a server for the site."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

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


@contextmanager
def served() -> Iterator[str]:
    """The address of the site, built if it has to be, and served on a port that is free."""
    command = [sys.executable, "tools/site.py", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        line = next(line for line in server.stdout or [] if "http://" in line)
        try:
            yield line.split()[4]
        finally:
            server.terminate()
