"""What the documentation copies from the programs."""

import os
import re
import shlex


ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DOCUMENTS = os.path.join(ROOT, "Sources", "Gateway", "Gateway.docc")


def settings_of(text):
    """Every setting with its words: what it is, what it takes, its default."""
    found = re.findall(r"^  --\S+\s+\(([a-z_.]+)\)\n((?:      .*\n)+)", text, re.M)
    return {name: " ".join(words.split()) for name, words in found}


async def test_the_settings(ctx):
    """The page about settings lists the settings as parleyd --help does."""
    _, output, _ = await ctx.run(ctx.parleyd, "--help")
    helped = settings_of(output.decode())
    with open(os.path.join(DOCUMENTS, "Settings.md"), encoding="utf-8") as page:
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
            named = re.findall(r"`((?:unfurl|webhooks|hooks|limits|auth|tls|log|drain|cluster|store)\.[a-z_.]+)`", page.read())
        unknown = {setting for setting in named if setting not in settings}
        assert not unknown, (name, unknown)


async def test_the_defaults_that_pages_name(ctx):
    """A number that stands beside a setting, in the table of settings or on a page, is its default."""
    _, output, _ = await ctx.run(ctx.parleyd, "--help")
    helped = {
        name: found[1] for name, words in settings_of(output.decode()).items()
        if (found := re.search(r"Default: ([0-9]+)\.$", words))}
    assert len(helped) > 20, helped
    wrong, checked = [], 0
    with open(os.path.join(DOCUMENTS, "Settings.md"), encoding="utf-8") as page:
        for names, defaults in re.findall(r"^\| (`[a-z].*?`) \| (.*?) \|", page.read(), re.M):
            numbers = defaults.split(", ")
            for name, number in zip(re.findall(r"`(.*?)`", names), numbers):
                if name in helped:
                    checked += 1
                    wrong += [("Settings.md", name, number)] if number != helped[name] else []
    for name in sorted(os.listdir(DOCUMENTS)):
        with open(os.path.join(DOCUMENTS, name), encoding="utf-8") as page:
            # A number with a unit of its own is left to readers.
            beside = re.findall(
                r"`([a-z]+\.[a-z_.]+)`[ (]+([0-9][0-9,]*)(?! [KMG]iB| s\b| min)\b", page.read())
        for setting, number in beside:
            if setting in helped:
                checked += 1
                wrong += [(name, setting, number)] * (number.replace(",", "") != helped[setting])
    assert checked > 60, checked
    assert not wrong, wrong


def markdown():
    """Every Markdown page of the project, without what was built or fetched."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


async def test_no_link_is_dead(ctx):
    """Every relative link of README and the documentation leads to a file, as a forge shows it."""
    checked, dead = 0, []
    for path in sorted(markdown()):
        with open(path, encoding="utf-8") as page:
            text = re.sub(r"^```.*?^```", "", page.read(), flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`", "", text)
        links = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"<(doc:[^>]*)>", text)
        for link in links:
            if re.match(r"(https?|mailto):|#", link):
                continue
            checked += 1
            target = os.path.join(os.path.dirname(path), link.split("#")[0])
            if not os.path.exists(target):
                dead.append(f"{os.path.relpath(path, ROOT)}: {link}")
    assert checked > 40, checked
    assert not dead, dead


async def test_the_first_example_of_the_command_line(ctx):
    """The commands of CommandLine.md's first example work in the order in which they stand."""
    server = await ctx.fresh("--unfurl-mode", "off")
    with open(os.path.join(DOCUMENTS, "CommandLine.md"), encoding="utf-8") as page:
        example = re.search(r"^```sh\n(.*?)^```", page.read(), re.M | re.S)[1]
    lines = [shlex.split(line, comments=True) for line in example.splitlines()]
    # These go on until they are interrupted.
    lasting = {"chat", "watch", "top", "load"}
    brief = [words[1:] for words in lines if words[0] == "parley" and words[1] not in lasting]
    assert len(brief) >= 4, brief
    access = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}",
              "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"}
    for words in brief:
        status, output, errors = await ctx.run(ctx.parley, *words, environment=access)
        assert status == 0, (words, output, errors)


async def test_the_table_of_commands(ctx):
    """CommandLine.md lists the commands of parley --help."""
    _, output, _ = await ctx.run(ctx.parley, "--help")
    listed = output.decode().split("SUBCOMMANDS:")[1].split("\n\n")[0]
    commands = set(re.findall(r"^  ([a-z]+)(?: |$)", listed, re.M))
    assert len(commands) > 20, commands
    with open(os.path.join(DOCUMENTS, "CommandLine.md"), encoding="utf-8") as page:
        table = page.read().split("| command | purpose |")[1].split("\n\n")[0]
    named = set()
    for cell in re.findall(r"^\| (`.*?) \|", table, re.M):
        named |= set(re.findall(r"`([a-z]+)`", cell))
    assert named == commands, named ^ commands


async def test_flags_before_and_after_the_command(ctx):
    """What says which gateway is meant stands before the command or after it."""
    server = await ctx.fresh("--unfurl-mode", "off")
    flags = ["--server", f"http://127.0.0.1:{server.port}", "--api-token-file",
             os.path.join(server.data, "api-token")]
    nothing = {"PARLEY_CLI_SERVER": "http://127.0.0.1:1", "XDG_CONFIG_HOME": "/nonexistent"}
    for words in ([*flags, "status"], ["status", *flags], [*flags, "user", "list", "--json"],
                  ["--json", *flags, "user", "list"]):
        status, output, errors = await ctx.run(ctx.parley, *words, environment=nothing)
        assert status == 0, (words, output, errors)


async def test_a_missing_user_is_named(ctx):
    """Whoever names an operator that is no user is told which one, and what exists is named too."""
    server = await ctx.fresh("--unfurl-mode", "off")
    access = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}",
              "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"}
    create = ["channel", "create", "lobby"]
    status, _, errors = await ctx.run(
        ctx.parley, *create, "--operator", "grace", environment=access)
    assert status == 1 and b'"grace"' in errors and b"400201" in errors, errors
    for expected in (0, 1):
        status, _, errors = await ctx.run(ctx.parley, *create, environment=access)
        assert status == expected, errors
    assert b'"lobby"' in errors and b"400202" in errors, errors
