#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Fails if a test file on disk is in none of the build files' tables.

Usage: checktestlist.py TESTS-DIRECTORY LISTED-FILE...
"""

import pathlib
import sys

PLACES = ("check", "clients", "soak")
SUFFIXES = (".c", ".py")


def main(root, *listed):
    root = pathlib.Path(root).resolve()
    known = {pathlib.Path(name).resolve() for name in listed}
    found = {
        path
        for place in PLACES
        for path in (root / place).rglob("*")
        if path.suffix in SUFFIXES
    }
    for path in sorted(found - known):
        print(f"in no table: {path.relative_to(root)}", file=sys.stderr)
    for path in sorted(known - found):
        print(f"listed, but not there: {path}", file=sys.stderr)
    return 1 if found ^ known else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
