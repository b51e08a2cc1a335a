#!/usr/bin/env python3
"""A store."""

import os
from typing import overload

DEFAULT_SIZE = 10
path: str = os.curdir
key = lambda item: item.name


@overload
def load(name: str) -> str: ...


@overload
def load(name: int) -> int: ...


# Loads something.
@cache
@app.route(
    "/load",
    methods=["GET"],
)
async def load(name):
    # Starts with a comment.
    if name:
        return name

    def inner():
        return 1

    return inner()


class Store(Base):
    """Stores items."""

    size: int = DEFAULT_SIZE

    def __init__(self, items=None):
        self.items = items or []

    @property
    def first(self):
        return self.items[0]

    @first.setter
    def first(self, item):
        self.items[0] = item

    class Meta:
        ordering = ["name"]
        # Nothing else.

    def text(self): return "".join(self.items)


if __name__ == "__main__":
    def main():
        print(Store().text())

    main()
