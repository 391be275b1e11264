"""The Debian package: what it has, and what its programs need."""

import glob
import gzip
import json
import os
import re
import shlex
import shutil
import tempfile

from skipping import need
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

INSTALLED = [
    "usr/bin/parleyd", "usr/bin/parley", "usr/bin/parley-unfurl",
    "usr/bin/parley-thumbnail",
    "lib/systemd/system/parleyd.service", "lib/systemd/system/parley-unfurl.service",
    "lib/systemd/system/parley-backup.service", "lib/systemd/system/parley-backup.timer",
    "usr/lib/sysusers.d/parley.conf", "usr/lib/tmpfiles.d/parley.conf", "etc/parley/parley.yaml",
    "etc/parley/parley-unfurl.yaml", "etc/parley/parley.env", "usr/share/doc/parley/copyright",
    "usr/share/man/man1/parley.1.gz", "usr/share/man/man1/parley-channel.1.gz",
    "usr/share/man/man8/parleyd.8.gz", "usr/share/man/man8/parley-unfurl.8.gz",
    "usr/share/bash-completion/completions/parley", "usr/share/zsh/vendor-completions/_parley",
    "usr/share/fish/vendor_completions.d/parley.fish",
    "usr/share/doc/parley/Deploying.md", "usr/share/doc/parley/examples/nginx/parley.conf",
]


# Bytes of the package, and of what it installs.
PACKAGE_LIMIT = 25_000_000
INSTALLED_LIMIT = 60_000_000


async def test_the_package_needs_only_debian(ctx):
    """Its programs need libraries of Debian alone, none of Swift's, and its settings are the
    administrator's."""
    status, output, errors = await ctx.run("dpkg-deb", "--info", ctx.package)
    assert status == 0, errors
    text = output.decode()
    for name in ["libc6", "libssl3", "libsqlite3-0", "libcurl4", "ca-certificates"]:
        assert name in text, text
    for program in [ctx.parleyd, ctx.parley, ctx.parley_unfurl]:
        _, libraries, _ = await ctx.run("ldd", program)
        assert b"swift" not in libraries.lower() and b"not found" not in libraries, libraries
    for name in INSTALLED:
        assert os.path.exists(os.path.join(ctx.files, name)), name
    _, conffiles, _ = await ctx.run("dpkg-deb", "--info", ctx.package, "conffiles")
    assert conffiles.decode().split() == [
        "/etc/parley/parley-unfurl.yaml", "/etc/parley/parley.env", "/etc/parley/parley.yaml"]


async def test_the_package_is_small(ctx):
    """The package is quick to download, and what it installs takes little room."""
    size = os.path.getsize(ctx.package)
    files = {
        (state.st_dev, state.st_ino): state.st_size
        for place, _, names in os.walk(ctx.files) for name in names
        if (state := os.lstat(os.path.join(place, name)))}
    installed = sum(files.values())
    print(f"     {size / 1e6:.1f} MB, {installed / 1e6:.1f} MB installed", flush=True)
    assert size <= PACKAGE_LIMIT, size
    assert installed <= INSTALLED_LIMIT, installed


# Of the archive of a release, what the package has elsewhere.
RELEASED = [
    "bin/parleyd", "bin/parley", "bin/parley-unfurl", "bin/parley-thumbnail", "systemd/parleyd.service",
    "systemd/parley-unfurl.service", "systemd/parley-backup.timer", "systemd/parley.sysusers",
    "config/parley.yaml", "config/parley.env", "share/man/man8/parleyd.8.gz", "README.md", "LICENSE",
]


async def test_the_files_of_a_release(ctx):
    """Scripts/release makes an archive with the package's programs and files, the same each time, and
    checksums that hold."""
    release, again = ctx.directory(), ctx.directory()
    for directory in (release, again):
        status, output, errors = await ctx.run(
            ctx.source("Scripts/release"), "--package", ctx.package, directory)
        assert status == 0, errors
    names = [os.path.basename(line) for line in output.decode().split()]
    assert sorted(os.listdir(release)) == sorted(names) and len(names) == 5, names
    status, output, errors = await ctx.run("sha256sum", "--check", "SHA256SUMS", directory=release)
    assert status == 0 and output.count(b": OK") == 4, (output, errors)
    with open(os.path.join(release, "SHA256SUMS"), "rb") as one, \
            open(os.path.join(again, "SHA256SUMS"), "rb") as other:
        assert one.read() == other.read()
    materials = next(name for name in names if name.endswith(".spdx.json"))
    lists_what_it_is_made_of(os.path.join(release, materials), ["swift-collections", "swift-runtime", "libssl3"])
    assert any(name.startswith("parley-client-") and name.endswith(".tgz") for name in names), names
    archive = next(name for name in names if name.endswith(".tar.gz"))
    status, _, errors = await ctx.run("tar", "--extract", "--file", archive, directory=release)
    assert status == 0, errors
    tree = os.path.join(release, archive.removesuffix(".tar.gz"))
    for name in RELEASED:
        assert os.path.exists(os.path.join(tree, name)), name
    assert os.stat(os.path.join(tree, "config/parley.env")).st_mode & 0o777 == 0o600
    for name in ("parleyd", "parley", "parley-unfurl"):
        status, output, _ = await ctx.run(os.path.join(tree, "bin", name), "--version")
        _, expected, _ = await ctx.run(os.path.join(ctx.files, "usr/bin", name), "--version")
        assert status == 0 and output == expected, (name, output, expected)


def lists_what_it_is_made_of(path, expected):
    """A bill of materials is valid, and has the packages."""
    materials = parse_file(path)
    assert not (problems := validate_full_spdx_document(materials)), problems[:3]
    versions = {package.name: package.version for package in materials.packages}
    assert all(versions.get(name) for name in expected), versions


async def test_the_version(ctx):
    """Each program prints the version of the package."""
    _, version, _ = await ctx.run("dpkg-deb", "--field", ctx.package, "Version")
    for name in ("parleyd", "parley", "parley-unfurl", "parley-thumbnail"):
        status, output, errors = await ctx.run(os.path.join(ctx.files, "usr/bin", name), "--version")
        assert status == 0 and output == b"parley " + version, (name, output, errors)


async def test_the_version_of_sources(ctx):
    """Scripts/version prints the commit of a repository and of its archive, and none without."""
    git = need("git")
    sources = ctx.directory()
    for path in ("Scripts/version", "Sources/CRelease/CRelease.c", ".gitattributes"):
        os.makedirs(os.path.dirname(os.path.join(sources, path)), exist_ok=True)
        shutil.copy(ctx.source(path), os.path.join(sources, path))
    identity = {
        "HOME": sources, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@a",
        "GIT_COMMITTER_DATE": "2026-01-31T23:59:30Z", "GIT_AUTHOR_DATE": "2026-01-31T23:59:30Z"}

    async def printed(*command, directory=sources, **variables):
        status, output, errors = await ctx.run(
            *command, directory=directory,
            environment={"PATH": os.environ["PATH"], **identity, **variables})
        assert status == 0, (command, errors)
        return output.decode().strip()

    unknown = await printed("Scripts/version")
    assert re.fullmatch(r"\d+\.\d+\.\d+-dev", unknown), unknown
    assert await printed("Scripts/version", "--time") == ""
    assert await printed("Scripts/version", BUILD_VERSION="1.2.3+distro1") == "1.2.3+distro1"
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "a"]):
        await printed(git, *command)
    commit = (await printed(git, "rev-parse", "HEAD"))[:9]
    known = f"{unknown.removesuffix('-dev')}+20260131.2359.g{commit}"
    assert await printed("Scripts/version") == known
    assert await printed("Scripts/version", "--time") == "1769903970"
    await printed(git, "archive", "--output", "sources.tar", "HEAD")
    assert await printed("Scripts/version") == known + ".dirty"
    archived = ctx.directory()
    await printed("tar", "--extract", "--file", os.path.join(sources, "sources.tar"), directory=archived)
    assert await printed("Scripts/version", directory=archived) == known
    # The commit of a repository around the sources is another's.
    inner = os.path.join(sources, "inner")
    shutil.copytree(os.path.join(sources, "Scripts"), os.path.join(inner, "Scripts"))
    shutil.copytree(os.path.join(sources, "Sources"), os.path.join(inner, "Sources"))
    assert await printed("Scripts/version", directory=inner) == unknown


async def test_one_file_is_three_programs(ctx):
    """Called by each of its names, the file is that program."""
    for program, words in [
            (ctx.parleyd, b"Real-time gateway"), (ctx.parley_unfurl, b"link previews"),
            (ctx.parley, b"Operate and inspect")]:
        status, output, errors = await ctx.run(program, "--help")
        assert status == 0 and words in output, (program, output[:300], errors)


async def test_the_manual(ctx):
    """Each program and each command of parley has a page that formatters take without a complaint."""
    mandoc = need("mandoc")
    pages = glob.glob(os.path.join(ctx.files, "usr/share/man/man*/*.gz"))
    _, output, _ = await ctx.run(ctx.parley, "--experimental-dump-help")
    commands = [one["commandName"] for one in json.loads(output)["command"]["subcommands"]]
    named = {os.path.basename(page).split(".")[0] for page in pages}
    wanted = {"parley", "parleyd", "parley-unfurl"}
    wanted |= {f"parley-{command}" for command in commands if command != "help"}
    assert named == wanted, named ^ wanted
    for page in sorted(pages):
        with gzip.open(page) as file:
            text = file.read()
        status, words, _ = await ctx.run(mandoc, "-T", "lint", "-W", "warning", stdin=text)
        # Pages have no date, so that the same program has the same pages.
        words = [line for line in words.decode().splitlines() if "missing date" not in line]
        assert not words, (page, words[:5])
        shown = await formatted(ctx, mandoc, text)
        assert "NAME" in shown and "SYNOPSIS" in shown, (page, shown[:500])
    with gzip.open(os.path.join(ctx.files, "usr/share/man/man1/parley-channel.1.gz")) as file:
        shown = await formatted(ctx, mandoc, file.read())
    assert "parley channel create" in shown and "--json" in shown, shown[:2000]


async def formatted(ctx, mandoc, page):
    """A page as a terminal shows it, without what makes letters bold there."""
    _, shown, _ = await ctx.run(mandoc, "-T", "ascii", stdin=page)
    return re.sub(".\x08", "", shown.decode())


async def test_completions(ctx):
    """The shells take their completions, and bash completes commands by them."""
    share = os.path.join(ctx.files, "usr/share")
    for shell, pattern in [("bash", "bash-completion/completions/{}"),
                           ("zsh", "zsh/vendor-completions/_{}"),
                           ("fish", "fish/vendor_completions.d/{}.fish")]:
        for name in ("parley", "parleyd", "parley-unfurl"):
            path = os.path.join(share, pattern.format(name))
            status, output, errors = await ctx.run(need(shell), "-n", path)
            assert status == 0 and not errors, (path, output, errors)
    script = (
        f'. "{share}/bash-completion/completions/parley"; '
        'COMP_WORDS=(parley chan); COMP_CWORD=1; COMP_LINE="parley chan"; COMP_POINT=11; '
        '$(complete -p parley | sed -E "s/.*-F ([^ ]+).*/\\1/") parley chan parley; echo "${COMPREPLY[@]}"')
    status, output, errors = await ctx.run(need("bash"), "-c", script)
    assert b"channel" in output, (status, output, errors)


# Words on the command line of parleyd, what completes the last one, and what does not.
SETTINGS = [
    (["--log-l"], ["--log-level"], ["--log-format"]),
    (["--log-level", ""], ["debug", "warning"], ["--listen"]),
    (["--listen", "127.0.0.1:0", "--auth-m"], ["--auth-mode"], ["--auth-api-token"]),
    (["--unfurl-oembed", "--log-f"], ["--log-format"], ["true"]),
    (["--unfurl-oembed=t"], ["--unfurl-oembed=true"], []),
    (["--tls-certificate", "fold"], ["folder"], ["--tls-certificate"]),
    (["--tls-certificate", "folder/c"], ["folder/cert.pem"], []),
    (["--data-dir", "fold"], ["folder"], ["folder/cert.pem"]),
    (["--audit-log", "st"], ["stderr"], ["off"]),
    (["--auth-api-token", ""], [], ["--listen", "folder"]),
]


async def test_completions_of_settings(ctx):
    """bash and fish complete the settings of parleyd, their words, files and directories; zsh has the same."""
    share = os.path.join(ctx.files, "usr/share")
    folder = tempfile.mkdtemp()
    os.mkdir(os.path.join(folder, "folder"))
    open(os.path.join(folder, "folder", "cert.pem"), "w", encoding="ascii").close()
    with open(os.path.join(share, "zsh/vendor-completions/_parleyd"), encoding="utf-8") as file:
        zsh = file.read()
    for words, found, others in SETTINGS:
        line = shlex.join(["parleyd", *words[:-1]]) + " " + words[-1]
        # As bash cuts words, and what it puts in front of the last one again.
        cut = [part for word in words for part in re.findall("=|[^=]+", word) or [""]]
        before = words[-1].removesuffix(cut[-1]) if "=" in cut else ""
        in_bash = (
            f'. "{share}/bash-completion/completions/parleyd"; cd {folder}; '
            f'COMP_WORDS=({shlex.join(["parleyd", *cut])}); COMP_CWORD={len(cut)}; '
            f'_parleyd parleyd; printf -- "{before}%s\\n" "${{COMPREPLY[@]}}"')
        in_fish = (
            f'source {share}/fish/vendor_completions.d/parleyd.fish; cd {folder}; '
            f'complete -C {shlex.quote(line)}')
        for shell, script in [("bash", in_bash), ("fish", in_fish)]:
            status, output, errors = await ctx.run(need(shell), "-c", script)
            shown = [line.split("\t")[0].rstrip("/") for line in output.decode().splitlines()]
            assert set(found) <= set(shown), (shell, words, shown, errors)
            assert not set(others) & set(shown), (shell, words, shown)
        for word in found:
            assert word.startswith("folder") or word.split("=")[-1] in zsh, word
    shutil.rmtree(folder)


async def test_the_container_file(ctx):
    """It installs the package, with what it recommends, as a user with a fixed number."""
    with open(ctx.source("Deploy/container/Containerfile"), encoding="utf-8") as file:
        text = file.read()
    _, recommends, _ = await ctx.run("dpkg-deb", "--field", ctx.package, "Recommends")
    installs = re.search(r"apt-get install (.*) \\$", text, re.MULTILINE)[1].split()
    assert "/tmp/parley.deb" in installs and set(recommends.decode().strip().split(", ")) <= set(installs), installs
    assert re.search(r"^USER 10001:10001$", text, re.MULTILINE) and "useradd --uid 10001" in text
