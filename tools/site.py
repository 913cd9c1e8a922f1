"""Build the book as a site, and serve it on this machine.

python tools/site.py build             makes _build/html, if anything changed
python tools/site.py serve --port 8000 does that, then serves it
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "_build"
HTML = OUT / "html"
# Everything that can change a page. The digest of these says whether there is anything to do.
SOURCES = [
    "_config.yml",
    "_toc.yml",
    "_build/extra",
    "book",
    "exercises",
    "micrograd_src",
    "notebooks",
    "package-lock.json",
    "pyproject.toml",
    "requirements-site.txt",
    "tools/lighten.mjs",
    "tools/live.mjs",
    "tools/site.py",
]
UNREAD = {".ipynb_checkpoints", "__pycache__", "micrograd_course.egg-info"}
# The faces of the text (regular and italic) and of headings and controls.
FONTS = [
    "source-serif-4/files/source-serif-4-latin-wght-normal.woff2",
    "source-serif-4/files/source-serif-4-latin-wght-italic.woff2",
    "inter/files/inter-latin-wght-normal.woff2",
]


class SiteError(Exception):
    """What went wrong and what to do about it, in one line."""


def pages() -> list[Path]:
    """The source file of every page in the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [toc["root"]]
    names += [page["file"] for part in toc["parts"] for page in part["chapters"]]
    found = []
    for name in names:
        paths = [ROOT / f"{name}{suffix}" for suffix in (".md", ".ipynb")]
        path = next((p for p in paths if p.is_file()), None)
        if path is None:
            raise SiteError(
                f"_toc.yml lists {name}, but there is no {name}.md and no {name}.ipynb."
            )
        found.append(path)
    return found


def check_notebooks() -> None:
    """Refuse a notebook that does not parse, before anything is built."""
    import nbformat  # a second of the two that an unchanged site may take

    for path in pages():
        if path.suffix != ".ipynb":
            continue
        try:
            nbformat.validate(nbformat.read(path, as_version=4))
        except Exception as error:  # nbformat raises its own, json's and jsonschema's errors
            reason = (str(error).strip() or type(error).__name__).splitlines()[0][:160]
            raise SiteError(
                f"{path.relative_to(ROOT)} does not parse as a notebook ({reason}). "
                "Mend it, or bring the last good one back with git."
            ) from error


def digest() -> str:
    """One hash over the names and bytes of all sources."""
    total = hashlib.sha256()
    for source in SOURCES:
        path = ROOT / source
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and not UNREAD & set(file.parts):
                total.update(f"{file.relative_to(ROOT)}\0".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def run(command: list[str], log: Path, **more: str) -> bool:
    """Run a command, in an environment with `more`, and say whether it went well.

    All its words go into a log file.
    """
    # Node is the one beside this Python, whatever else the machine has.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with log.open("w", encoding="utf-8") as words:
        env = {**os.environ, "PATH": path, "NO_COLOR": "1", **more}
        done = subprocess.run(command, cwd=ROOT, env=env, stdout=words, stderr=subprocess.STDOUT)
    return done.returncode == 0


def fetch_scripts() -> None:
    """Install what package-lock.json names, once, and lay out what the site serves itself."""
    modules, vendor = ROOT / "node_modules", OUT / "vendor"
    wanted = (ROOT / "package-lock.json").read_text(encoding="utf-8")
    done = modules / "installed.json"
    if not done.is_file() or done.read_text(encoding="utf-8") != wanted:
        print("Fetching the site's scripts …", flush=True)
        log = OUT / "npm.log"
        quick = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error"]
        if not run(["npm", "ci", "--ignore-scripts", *quick], log):
            shutil.rmtree(modules, ignore_errors=True)
            raise SiteError(
                "The site's scripts cannot be fetched from the npm registry. Check the network and "
                f"try again (npm's own words are in {log.relative_to(ROOT)})."
            )
        done.write_text(wanted, encoding="utf-8")
        shutil.rmtree(vendor, ignore_errors=True)
    if not vendor.is_dir():
        es5, fonts = modules / "mathjax" / "es5", Path("output/chtml/fonts/woff-v2")
        shutil.copytree(es5 / fonts, vendor / "mathjax" / fonts)
        shutil.copy(es5 / "tex-chtml.js", vendor / "mathjax")
        (vendor / "fonts").mkdir()
        for font in FONTS:
            shutil.copy(modules / "@fontsource-variable" / font, vendor / "fonts")


def make_live() -> None:
    """Lay out what cells in the page need: Python, the course's wheel, the scripts of book/live."""
    live, log = OUT / "vendor" / "live", OUT / "live.log"
    for old in (live, ROOT / "build"):  # setuptools would put files that are gone into the wheel
        shutil.rmtree(old, ignore_errors=True)
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(live), "."]
    steps = [[sys.executable, "-m", "pip", *wheel], ["node", "tools/live.mjs", str(live)]]
    # With the date fixed, the same sources make the same wheel.
    if not all(run(step, log, SOURCE_DATE_EPOCH="1577836800") for step in steps):
        raise SiteError(
            f"The cells cannot be made to run in the page: see {log.relative_to(ROOT)}."
        )
    shutil.rmtree(ROOT / "build", ignore_errors=True)


@contextmanager
def only_one() -> Iterator[None]:
    """Let one build run at a time: tests in several processes ask for the same one."""
    OUT.mkdir(exist_ok=True)
    with (OUT / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build() -> None:
    """Build the site strictly into a new folder, and put it in place only when it is whole."""
    with only_one():
        now, stamp = digest(), OUT / "site.digest"
        if HTML.is_dir() and stamp.is_file() and stamp.read_text() == now:
            return
        check_notebooks()
        fetch_scripts()
        make_live()
        print("Building the site …", flush=True)
        fresh, log = OUT / "fresh", OUT / "build.log"
        shutil.rmtree(fresh, ignore_errors=True)
        strict = ["-W", "-n", "--keep-going", "--path-output", str(fresh)]
        if not run(["jupyter-book", "build", ".", *strict], log):
            shutil.rmtree(fresh, ignore_errors=True)
            words = re.sub(r"\x1b\[[\d;]*m", "", log.read_text(encoding="utf-8"))
            for line in re.findall(r"^.*(?:WARNING|ERROR|CRITICAL).*$", words, re.MULTILINE):
                print(line.replace(f"{ROOT}/", ""), file=sys.stderr)
            raise SiteError(
                f"The site was not built: each warning counts. More is in {log.relative_to(ROOT)}."
            )
        html = fresh / "_build" / "html"
        if not run(["node", "tools/lighten.mjs", str(html)], log):
            raise SiteError(
                f"The theme's assets cannot be made lighter: see {log.relative_to(ROOT)}."
            )
        # The page that forwards to the start page names no icon, so browsers would ask for one.
        front = html / "index.html"
        icon = '<link rel="icon" href="_static/favicon.svg">\n'
        front.write_text(icon + front.read_text(encoding="utf-8"), encoding="utf-8")
        # A service worker serves what lies below it, so it lies at the top.
        (html / "_static/live/sw.js").rename(html / "sw.js")
        stamp.unlink(missing_ok=True)
        shutil.rmtree(HTML, ignore_errors=True)
        html.rename(HTML)
        shutil.rmtree(fresh)
        stamp.write_text(now)


class Handler(SimpleHTTPRequestHandler):
    """Files of the site, with the types that browsers insist on, and never a stale one."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        ".woff2": "font/woff2",
    }

    def end_headers(self) -> None:
        """Make the browser ask again each time, for the book is rebuilt; and isolate the page."""
        self.send_header("Cache-Control", "no-cache")
        # So that Python in the page can be interrupted and not only ended.
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer for a page that is not there with the site's own words."""
        lost = HTML / "404.html"
        if code != HTTPStatus.NOT_FOUND or not lost.is_file():
            super().send_error(code, message, explain)
            return
        body = lost.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of single requests: the address must stay in sight."""


def serve(port: int) -> None:
    """Build, then serve until Ctrl-C. The port is taken first, for it is the quicker to fail."""
    handler = partial(Handler, directory=str(HTML))
    server = ThreadingHTTPServer(("127.0.0.1", port), handler, bind_and_activate=False)
    # Two servers on one port would each get some of the requests.
    server.allow_reuse_address = os.name == "posix"
    try:
        server.server_bind()
        server.server_activate()
    except (OSError, OverflowError) as error:
        raise SiteError(
            f"Port {port} cannot be used ({getattr(error, 'strerror', None) or error}). "
            "Choose another one: make site PORT=8001"
        ) from error
    with server:
        build()
        where = f"http://127.0.0.1:{server.server_port}/"
        print(f"The course is at {where}  (Ctrl-C stops it)", flush=True)
        server.serve_forever()


def main() -> int:
    """Read the command line, and turn every foreseen trouble into one line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["build", "serve"])
    parser.add_argument("--port", type=int, default=8000, help="0 takes any free one")
    options = parser.parse_args()
    try:
        build() if options.what == "build" else serve(options.port)
    except SiteError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
