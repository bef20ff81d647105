# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""What a guide of docs/ tells its readers to run, for the test that runs it.

    SECTION = Guide("scaling.md").section("Multicast")
    serve, watch = SECTION.commands()     # fails when the guide gets a third one
"""

import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]


class Section:
    """The text between a heading and the next one of its rank."""

    def __init__(self, text):
        self.text = text

    def blocks(self, language):
        """The code blocks of a language, in their order."""
        return re.findall(rf"^```{language}\n(.*?)^```$", self.text, re.MULTILINE | re.DOTALL)

    def commands(self):
        """The lines of its sh blocks, those that go on (\\) joined, without comments."""
        lines = "".join(self.blocks("sh")).replace("\\\n", " ").splitlines()
        return [line for line in lines if line and not line.startswith("#")]


class Guide:
    def __init__(self, name):
        self.text = (TOP / "docs" / name).read_text(encoding="utf-8")

    def section(self, title):
        pattern = rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)"
        return Section(re.search(pattern, self.text, re.MULTILINE | re.DOTALL)[1])
