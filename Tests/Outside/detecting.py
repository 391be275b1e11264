"""Which link of a text is previewed: parley preview detect."""

import asyncio
from urllib.parse import urlsplit

# What a text's link is, by the rules of "The link"; None where there is no link.
WRITTEN_OUT = [
    ("https://example.com/", "https://example.com/"),
    ("http://example.com/a/b?c=d#e", "http://example.com/a/b?c=d#e"),
    ("HTTPS://EXAMPLE.COM/Path", "https://example.com/Path"),
    ("HtTp://Example.Com", "http://example.com/"),
    ("see https://example.com/a and http://example.org/b", "https://example.com/a"),
    ("first sendbird.com, then https://example.com/", "http://sendbird.com/"),
    ("line one\nhttps://example.com/x\nline three", "https://example.com/x"),
    ("tab\thttps://example.com/x\tend", "https://example.com/x"),
    ("https://example.com:8443/x", "https://example.com:8443/x"),
    ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
    ("http://[2001:db8::1]/x", "http://[2001:db8::1]/x"),
    ("http://localhost:3000/", "http://localhost:3000/"),
    ("https://example.com/?q=a+b&r=%20", "https://example.com/?q=a+b&r=%20"),
    ("https://example.com/a_b_c", "https://example.com/a_b_c"),
    ("https://example.com/~user/*x", "https://example.com/~user/*x"),
]
BARE = [
    ("sendbird.com", "http://sendbird.com/"),
    ("www.example.co.uk/x", "http://www.example.co.uk/x"),
    ("hello.world", "http://hello.world/"),
    ("go to sendbird.com now", "http://sendbird.com/"),
    ("sendbird.com/docs?x=1", "http://sendbird.com/docs?x=1"),
    ("SendBird.COM", "http://sendbird.com/"),
    ("sendbird.com:8080/x", "http://sendbird.com:8080/x"),
    ("docs.sendbird.com", "http://docs.sendbird.com/"),
    ("co.uk is a suffix, example.co.uk is not", "http://example.co.uk/"),
    ("file.txt", None),
    ("e.g. this", None),
    ("i.e. that", None),
    ("1.2.3", None),
    ("version 10.4.2 is out", None),
    ("co.uk", None),
    ("com", None),
    ("README.md", None),
    ("main.rs", None),
    ("run setup.sh and test.py", None),
    ("www.readme.md", "http://www.readme.md/"),
    ("readme.md/x", "http://readme.md/x"),
    ("end of one.Start of the next", None),
    ("node.notatopleveldomain", None),
    ("-bad-.com", None),
    ("...", None),
]
INTERNATIONAL = [
    ("https://bücher.example.com/", "https://xn--bcher-kva.example.com/"),
    ("bücher.de", "http://xn--bcher-kva.de/"),
    ("http://例え.jp/", "http://xn--r8jz45g.jp/"),
    ("https://xn--bcher-kva.de/x", "https://xn--bcher-kva.de/x"),
    ("詳しくはhttps://example.com/x をご覧", "https://example.com/x"),
    ("詳しくはexample.com", "http://example.com/"),
    ("请看example.com吧", "http://example.com/"),
    ("пример.рф", "http://xn--e1afmkfd.xn--p1ai/"),
]
MARKDOWN = [
    ("[text](https://a.com)", "https://a.com/"),
    ("[b.com](https://a.com/x)", "https://a.com/x"),
    ("![alt](https://a.com/i.png)", "https://a.com/i.png"),
    ("<https://a.com/x>", "https://a.com/x"),
    ("<https://a.com/x(y).>", "https://a.com/x(y)."),
    ("`https://a.com` and https://b.com/", "https://b.com/"),
    ("```\nhttps://a.com\n```\nhttps://b.com/", "https://b.com/"),
    ("`sendbird.com`", None),
    ("``a ` https://a.com``", None),
    ("**https://a.com/x**", "https://a.com/x"),
]
PUNCTUATION = [
    ("https://a.com/x.", "https://a.com/x"),
    ("https://a.com/x, and", "https://a.com/x"),
    ("is it https://a.com/x?", "https://a.com/x"),
    ("wow https://a.com/x!!!", "https://a.com/x"),
    ("(see https://a.com/x)", "https://a.com/x"),
    ("https://a.com/x_(y)", "https://a.com/x_(y)"),
    ("(https://a.com/x_(y))", "https://a.com/x_(y)"),
    ("“https://a.com/x”", "https://a.com/x"),
    ("'https://a.com/x'", "https://a.com/x"),
    ("https://a.com/x;", "https://a.com/x"),
    ("https://a.com/x:", "https://a.com/x"),
    ("see sendbird.com.", "http://sendbird.com/"),
    ("https://a.com/x。", "https://a.com/x"),
    ("https://a.com/x...", "https://a.com/x"),
    ("[https://a.com/x]", "https://a.com/x"),
]
NO_LINK = [
    ("", None),
    ("no link at all", None),
    ("me@example.com", None),
    ("mailto:me@example.com", None),
    ("ftp://example.com/x", None),
    ("javascript:alert(1)", None),
    ("data:text/html,hello", None),
    ("file:///etc/passwd", None),
    ("git+ssh://example.com/x", None),
    ("http://", None),
    ("https:// example", None),
    ("http://user:pass@example.com/", None),
    ("http://user@example.com/", None),
    ("first.last@example.com wrote", None),
]


def same(found, wanted):
    """Whether both name one page; a root path may be left unwritten."""
    if found is None or wanted is None:
        return found == wanted
    found, wanted = urlsplit(found), urlsplit(wanted)
    return (found.scheme, found.netloc, found.path or "/", found.query, found.fragment) == (
        wanted.scheme, wanted.netloc, wanted.path or "/", wanted.query, wanted.fragment)


async def detect(ctx, text):
    """The URL that is printed, or None."""
    text = text if isinstance(text, bytes) else text.encode()
    code, output, errors = await ctx.run(ctx.parley, "preview", "detect", stdin=text)
    assert code == 0, (code, errors)
    lines = output.decode().splitlines()
    assert len(lines) <= 1, lines
    return lines[0] if lines else None


async def check(ctx, cases):
    found = await asyncio.gather(*(detect(ctx, text) for text, _ in cases))
    wrong = [(text, url, wanted) for (text, wanted), url in zip(cases, found)
             if not same(url, wanted)]
    assert not wrong, "\n".join(
        f"{text!r}: printed {url}, wanted {wanted}" for text, url, wanted in wrong)


async def test_links_with_a_scheme(ctx):
    """The first http or https URL of a text is its link, in capitals too."""
    await check(ctx, WRITTEN_OUT)


async def test_bare_names(ctx):
    """A name under a public suffix is a link; file names, versions and suffixes are none."""
    await check(ctx, BARE)


async def test_international_names(ctx):
    """Names of any script are found, glued to words too, and printed in their ASCII form."""
    await check(ctx, INTERNATIONAL)


async def test_markdown(ctx):
    """A destination counts, not its text; code holds no link; what stands in <…> is whole."""
    await check(ctx, MARKDOWN)


async def test_punctuation(ctx):
    """Punctuation behind a link and brackets that it did not open belong to the sentence."""
    await check(ctx, PUNCTUATION)


async def test_texts_without_a_link(ctx):
    """E-mail addresses, other schemes and URLs with a user name print nothing, with status 0."""
    await check(ctx, NO_LINK)


async def test_text_that_is_not_utf8(ctx):
    """Broken UTF-8 around a link does not hide it, and ends nothing."""
    assert same(await detect(ctx, b"\xff\xfe see https://example.com/x \xc3"),
                "https://example.com/x")
    assert await detect(ctx, b"\xff" * 1000) is None


async def test_a_very_long_text(ctx):
    """Twenty megabytes of text are dealt with; their first link is found."""
    assert same(await detect(ctx, b"https://example.com/x " + b"word " * 4_000_000),
                "https://example.com/x")
    for filling in (b"a." * 1_000_000, b"[" * 2_000_000, b"`" * 2_000_000, b"http://" * 300_000,
                    b"<" * 2_000_000, b"a@" * 1_000_000, b"(((https://" * 200_000):
        await detect(ctx, filling)


async def test_unknown_words(ctx):
    """An unknown subcommand or flag has a status that is not 0, and is named."""
    for words in (("preview", "detekt"), ("preview", "detect", "--colour"), ("nonsense",)):
        code, _, errors = await ctx.run(ctx.parley, *words)
        assert code != 0 and words[-1] in errors.decode(), (words, code, errors)
