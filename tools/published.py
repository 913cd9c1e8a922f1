"""The published micrograd 0.1.0, beside ours in one process: fetched once, under another name."""

import importlib.util
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".cache" / "published"
PINNED = "micrograd==0.1.0"


def fetch(folder: Path = FOLDER, what: str = PINNED) -> Path:
    """The folder with the published package in it, installed there by pip unless it is already.

    Whole or not at all: pip fills a folder beside it, which then takes its name. Raises
    RuntimeError, with pip's reason in one line, where the package cannot be had.
    """
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as temporary:
        target = Path(temporary) / folder.name
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--retries"]
        command = [*pip, "2", "--no-deps", "--target", str(target), what]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or ["pip said nothing"]
            why = next((line for line in reversed(said) if line.startswith("ERROR")), said[-1])
            raise RuntimeError(f"{what} cannot be fetched: {why.removeprefix('ERROR: ')}")
        try:
            target.rename(folder)
        except OSError:
            if not folder.exists():  # it does if another process was faster
                raise
    return folder


@cache
def load() -> tuple[ModuleType, ModuleType]:
    """The published engine and nn, as `published_micrograd.engine` and `published_micrograd.nn`.

    Raises RuntimeError as fetch does.
    """
    engine = _execute("engine", "published_micrograd.engine")
    return engine, nn_for(engine.Value, "published_micrograd.nn")


def nn_for(value: Any, name: str) -> ModuleType:
    """The published nn.py, word for word, as a new module `name` whose Value is the class given.

    It says `from micrograd.engine import Value`; while it runs, that name stands for the class.
    """
    stand_in = ModuleType("micrograd.engine")
    vars(stand_in)["Value"] = value
    ours = sys.modules.get(stand_in.__name__)
    sys.modules[stand_in.__name__] = stand_in
    try:
        return _execute("nn", name)
    finally:
        del sys.modules[stand_in.__name__]
        if ours is not None:
            sys.modules[stand_in.__name__] = ours


def _execute(part: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, fetch() / "micrograd" / f"{part}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
