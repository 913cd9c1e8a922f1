"""Run every notebook strictly, many times in a row, and count the mismatches.

python tools/fifty.py [RUNS]   (default 50; exit 1 if any run differs from what is stored)
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "notebooks"]


def main(runs: int) -> int:
    """Run nbval `runs` times; print a line a run, and the total. Returns the number that failed."""
    failed, start = 0, time.monotonic()
    for k in range(1, runs + 1):
        done = subprocess.run(COMMAND, cwd=ROOT, capture_output=True, text=True)
        failed += done.returncode != 0
        print(f"run {k:>2}: {done.stdout.strip().splitlines()[-1]}", flush=True)
        if done.returncode:
            print(done.stdout[-4000:])
    print(f"{runs} runs, {failed} with a mismatch, {time.monotonic() - start:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50) > 0)
