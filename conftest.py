"""How nbval reaches its kernels: by sockets in the file system, where the system has them.

The usual ports are found free first and taken later. In between another program may have taken one,
and then a kernel never answers: 1 of 50 runs of all notebooks ended like that on a busy machine.
"""

import os
from itertools import count
from tempfile import TemporaryDirectory

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager


def pytest_configure(config: pytest.Config) -> None:
    """Give each of nbval's kernels sockets of its own, in a folder that goes with the tests."""
    if os.name != "posix":
        return
    folder, number = TemporaryDirectory(prefix="nbval-"), count()
    config.add_cleanup(folder.cleanup)

    def manager(**options: object) -> KernelManager:
        return KernelManager(transport="ipc", ip=f"{folder.name}/{next(number)}", **options)

    nbval.kernel.KernelManager = manager
