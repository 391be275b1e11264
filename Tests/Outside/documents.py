"""What the documentation copies from the programs."""

import os
import re

from harness import known

DOCUMENTS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "Gateway", "Gateway.docc")


def settings_of(text):
    """Every setting with its words: what it is, what it takes, its default."""
    found = re.findall(r"^  --\S+\s+\(([a-z_.]+)\)\n((?:      .*\n)+)", text, re.M)
    return {name: " ".join(words.split()) for name, words in found}


async def test_the_settings(ctx):
    """The page about operating lists the settings as parleyd --help does."""
    _, output, _ = await ctx.run(ctx.parleyd, "--help")
    helped = settings_of(output.decode())
    with open(os.path.join(DOCUMENTS, "Operating.md"), encoding="utf-8") as page:
        documented = settings_of(page.read())
    assert len(helped) > 40, helped
    assert documented.keys() == helped.keys(), documented.keys() ^ helped.keys()
    wrong = {name for name in helped if helped[name] != documented[name]}
    assert not wrong, wrong


async def test_the_settings_that_pages_name(ctx):
    """Every setting that the documentation names is one."""
    _, output, _ = await ctx.run(ctx.parleyd, "--help")
    settings = settings_of(output.decode())
    for name in sorted(os.listdir(DOCUMENTS)):
        with open(os.path.join(DOCUMENTS, name), encoding="utf-8") as page:
            named = re.findall(r"`((?:unfurl|webhooks|limits|auth|tls|log|drain)\.[a-z_.]+)`", page.read())
        unknown = {setting for setting in named if setting not in settings}
        assert not unknown, (name, unknown)
