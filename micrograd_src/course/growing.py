"""Grow a class over several cells, one method at a time."""

from collections.abc import Callable


def add_to_class(cls: type) -> Callable:
    """A decorator that makes the function below it a method of `cls`."""

    def add(method: Callable) -> Callable:
        setattr(cls, method.__name__, method)
        return method

    return add
