"""What of a page is shown: parley preview extract."""

import asyncio
import json

PAGE = "https://site.example.com/dir/page"


async def extract(ctx, page, content_type="text/html; charset=utf-8", url=PAGE):
    """The og_tag that is printed, or None for null."""
    page = page if isinstance(page, bytes) else page.encode()
    code, output, errors = await ctx.run(
        ctx.parley, "preview", "extract", "--url", url, "--content-type", content_type, stdin=page)
    assert code == 0, (code, errors, page[:200])
    return json.loads(output)


def part(tag, name):
    """A member of the tag, or of its image as image.width; None when there is none."""
    value = tag
    for step in name.split("."):
        value = value and value.get(step if step in value else f"og:{step}")
    return value


async def check(ctx, cases, **options):
    """Each case is a page and the parts that its tag has; None for no preview at all."""
    found = await asyncio.gather(*(extract(ctx, page, **options) for page, _ in cases))
    wrong = []
    for (page, wanted), tag in zip(cases, found):
        if (tag is None) != (wanted is None):
            wrong.append((page, tag, wanted))
        elif wanted is not None:
            wrong += [(page, tag, {name: value}) for name, value in wanted.items()
                      if part(tag, name) != value]
    assert not wrong, "\n".join(
        f"{page[:300]!r}: printed {tag}, wanted {wanted}" for page, tag, wanted in wrong)


def meta(key, value):
    return f'<meta property="{key}" content="{value}">'


async def test_the_shape(ctx):
    """A tag has the four members of the protocol, its image all of its own."""
    tag = await extract(ctx, "<title>T</title>" + meta("og:image", "/i.png"))
    assert set(tag) == {"og:title", "og:url", "og:description", "og:image"}, tag
    image = tag["og:image"]
    assert set(image) == {"url", "secure_url", "type", "width", "height", "alt"}, image
    assert (image["width"], image["height"]) == (0, 0)
    assert tag["og:url"] == PAGE and tag["og:description"] is None
    assert (await extract(ctx, "<title>T</title>"))["og:image"] is None


async def test_sources_in_order(ctx):
    """Each part comes from the first usable source, in the documented order."""
    linked = '<script type="application/ld+json">' + json.dumps({
        "@context": "https://schema.org", "@type": "Article", "headline": "LD",
        "description": "LD words", "image": "https://site.example.com/ld.png"}) + "</script>"
    title = [meta("og:title", "OG"), '<meta name="twitter:title" content="TW">', linked,
             "<title>HTML</title>"]
    words = [meta("og:description", "OG"), '<meta name="twitter:description" content="TW">',
             linked, '<meta name="description" content="HTML">']
    image = [meta("og:image", "/og.png"), '<meta name="twitter:image" content="/tw.png">', linked,
             '<link rel="image_src" href="/link.png">']
    named = "<title>t</title>"
    cases = []
    for first, wanted in enumerate(("OG", "TW", "LD", "HTML")):
        cases.append(("".join(reversed(title[first:])), {"title": wanted}))
    for first, wanted in enumerate(("OG", "TW", "LD words", "HTML")):
        cases.append((named + "".join(reversed(words[first:])), {"description": wanted}))
    for first, wanted in enumerate(("og", "tw", "ld", "link")):
        cases.append((named + "".join(reversed(image[first:])), {
            "image.url": f"https://site.example.com/{wanted}.png"}))
    await check(ctx, cases)


async def test_the_first_value_counts(ctx):
    """Of several values the first that is not blank counts, whatever attribute names it."""
    await check(ctx, [
        (meta("og:title", "One") + meta("og:title", "Two"), {"title": "One"}),
        (meta("og:title", "  ") + meta("og:title", "Two"), {"title": "Two"}),
        ('<meta name="og:title" content="N">', {"title": "N"}),
        ('<META PROPERTY=" OG:Title " CONTENT=T>', {"title": "T"}),
        ("<meta content='T' property='og:title'/>", {"title": "T"}),
        ('<meta property="og:title twitter:title" content="Both">', {"title": "Both"}),
        (meta("og:title", "A &amp; B &lt;b&gt; &#x27;c&#39;"), {"title": "A & B <b> 'c'"}),
        (meta("og:title", "&amp;lt;"), {"title": "&lt;"}),
        ("<title>  many\n\t words  </title>", {"title": "many words"}),
        ("<title>A &mdash; B</title>", {"title": "A — B"}),
        ("<body>" + meta("og:title", "In the body") + "</body>", {"title": "In the body"}),
    ])


async def test_hidden_tags_do_not_count(ctx):
    """Comments, scripts, styles, templates, noscript and text elements hide tags."""
    hidden = meta("og:title", "Hidden")
    shown = "<title>Shown</title>"
    cases = [(f"<!-- {hidden} -->{shown}", {"title": "Shown"})]
    for name in ("script", "style", "textarea", "xmp", "iframe", "noembed", "noframes",
                 "template", "noscript"):
        cases.append((f"<{name}>{hidden}</{name}>{shown}", {"title": "Shown"}))
    cases.append((f"{shown}<plaintext>{hidden}", {"title": "Shown"}))
    cases.append((f"<title>Shown{hidden}</title>", {"title": f"Shown{hidden}"}))
    cases.append((f'<p title="{hidden.replace(chr(34), chr(39))}">{shown}', {"title": "Shown"}))
    await check(ctx, cases)


async def test_images(ctx):
    """Structured properties belong to the image before them and never to another."""
    base = "https://site.example.com"
    one, two = meta("og:image", "/1.png"), meta("og:image", "/2.png")
    width = meta("og:image:width", "120")
    named = "<title>t</title>"
    await check(ctx, [(named + page, wanted) for page, wanted in [
        (one + width + two + meta("og:image:width", "9"),
         {"image.url": f"{base}/1.png", "image.width": 120}),
        (one + two + width, {"image.url": f"{base}/1.png", "image.width": 0}),
        (one + meta("og:video", "/v.mp4") + meta("og:video:width", "7"), {"image.width": 0}),
        (one + meta("og:image:height", "630px"), {"image.height": 630}),
        (one + meta("og:image:width", "-5"), {"image.width": 0}),
        (one + meta("og:image:width", "99999999999"), {"image.width": 0}),
        (one + meta("og:image:width", "wide"), {"image.width": 0}),
        (one + meta("og:image:type", "image/png") + meta("og:image:alt", "A B"),
         {"image.type": "image/png", "image.alt": "A B"}),
        (one + meta("og:image:secure_url", "https://cdn.example.com/s.png"),
         {"image.secure_url": "https://cdn.example.com/s.png"}),
        (meta("og:image:url", "/u.png"), {"image.url": f"{base}/u.png"}),
        (meta("og:image", "javascript:alert(1)") + two, {"image.url": f"{base}/2.png"}),
        (meta("og:image", "data:image/png;base64,AAAA"), {"image": None}),
        (meta("og:image", "ftp://example.com/i.png"), {"image": None}),
        (meta("og:image", "//cdn.example.com/i.png"),
         {"image.url": "https://cdn.example.com/i.png"}),
        (meta("og:image", "i.png"), {"image.url": f"{base}/dir/i.png"}),
        ('<base href="https://other.example.org/b/">' + meta("og:image", "i.png"),
         {"image.url": "https://other.example.org/b/i.png"}),
        (meta("og:image", " /a\n/b.png "), {"image.url": f"{base}/a/b.png"}),
    ]])


async def test_addresses(ctx):
    """og:url, else the canonical link, is believed on the page's own site only."""
    named = "<title>t</title>"
    await check(ctx, [(named + page, {"url": wanted}) for page, wanted in [
        ("", PAGE),
        (meta("og:url", "https://example.com/x"), "https://example.com/x"),
        (meta("og:url", "/canon"), "https://site.example.com/canon"),
        (meta("og:url", "https://evil.org/x"), PAGE),
        (meta("og:url", "javascript:alert(1)"), PAGE),
        ('<link rel="canonical" href="/c">', "https://site.example.com/c"),
        ('<link rel="canonical" href="https://evil.org/">', PAGE),
        ('<link rel="canonical" href="/c">' + meta("og:url", "/o"), "https://site.example.com/o"),
    ]])


async def test_texts_are_clean_and_bounded(ctx):
    """Controls and bidirectional overrides go, joiners stay; long texts are cut, not dropped."""
    await check(ctx, [
        (meta("og:title", "a\u202eb\u2066c\u2069d\u0001e\u007ff\u0085g"), {"title": "abcdefg"}),
        (meta("og:title", "a&#x202e;b&#1;c"), {"title": "abc"}),
        (meta("og:title", "👩\u200d💻 \u2764\ufe0f"), {"title": "👩\u200d💻 \u2764\ufe0f"}),
        (meta("og:title", "x&#xD800;y&#x110000;z&#0;"), {"title": "x\ufffdy\ufffdz\ufffd"}),
        ("<title>t</title>" + meta("og:description", "<script>alert(1)</script>".replace(
            "<", "&lt;")), {"description": "<script>alert(1)</script>"}),
    ])
    tag = await extract(ctx, meta("og:title", "é" * 5000) + meta("og:description", "ü" * 9000))
    assert tag["og:title"].startswith("é" * 1000) and len(tag["og:title"]) <= 1024
    assert tag["og:description"].startswith("ü" * 4000) and len(tag["og:description"]) <= 4096


async def test_pages_without_a_preview(ctx):
    """An empty, binary or bare page prints null, with status 0."""
    await check(ctx, [(page, None) for page in (
        "", " \n ", "<html></html>", "<p>only text</p>", "<title></title>", "<title> \n</title>",
        meta("og:url", "/x"), meta("og:site_name", "x"), b"\x89PNG\r\n\x1a\n" + bytes(4000),
        b"%PDF-1.7\n" + bytes(range(256)) * 8, bytes(1000), "{\"og:title\": \"json\"}")])


async def test_types(ctx):
    """Only text/html and application/xhtml+xml are pages."""
    page = "<title>T</title>"
    for accepted in ("text/html", "TEXT/HTML", "text/html;charset=utf-8", "text/html ; x=y",
                     "application/xhtml+xml", 'text/html; charset="utf-8"'):
        assert (await extract(ctx, page, accepted))["og:title"] == "T", accepted
    for refused in ("text/plain", "application/json", "image/png", "application/xml",
                    "text/htmlx", "application/octet-stream", "html", "text/css"):
        assert await extract(ctx, page, refused) is None, refused


LEGACY = [
    ("euc-kr", "cp949", "한국어 제목"), ("shift_jis", "cp932", "日本語のタイトル①"),
    ("gb2312", "gb18030", "简体中文标题"), ("gbk", "gbk", "简体中文标题"),
    ("gb18030", "gb18030", "简体𠮷"), ("big5", "big5", "繁體中文標題"),
    ("euc-jp", "euc_jp", "日本語のタイトル"), ("iso-2022-jp", "iso2022_jp", "日本語の題"),
    ("windows-1251", "cp1251", "Русский заголовок"), ("koi8-r", "koi8_r", "Русский заголовок"),
    ("iso-8859-1", "cp1252", "Café “quoted” €"), ("windows-1252", "cp1252", "Café “quoted” €"),
    ("iso-8859-2", "iso8859_2", "Příliš žluťoučký"), ("iso-8859-7", "iso8859_7", "Ελληνικά"),
    ("windows-1255", "cp1255", "עברית"), ("windows-1256", "cp1256", "العربية"),
    ("tis-620", "cp874", "ภาษาไทย"), ("x-sjis", "cp932", "日本語"), ("latin1", "cp1252", "Ärger"),
]


async def test_character_sets_of_the_header(ctx):
    """The character set that the header names decodes the page, by its web label."""
    found = await asyncio.gather(*(
        extract(ctx, f"<title>{title}</title>".encode(codec), f"text/html; charset={label}")
        for label, codec, title in LEGACY))
    wrong = [(label, title, tag) for (label, _, title), tag in zip(LEGACY, found)
             if part(tag, "title") != title]
    assert not wrong, wrong


async def test_character_sets_of_the_page(ctx):
    """Without a word in the header, a byte order mark and a meta decide; utf-16 in it is utf-8."""
    found = await asyncio.gather(*(
        extract(ctx, f'<meta charset="{label}"><title>{title}</title>'.encode(codec), "text/html")
        for label, codec, title in LEGACY))
    wrong = [(label, title, tag) for (label, _, title), tag in zip(LEGACY, found)
             if part(tag, "title") != title]
    assert not wrong, wrong
    title = "<title>Grüße</title>"
    http_equiv = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'
    for page, content_type in [
        ((http_equiv + title).encode("cp1252"), "text/html"),
        (title.encode(), "text/html"),
        (title.encode("cp1252"), "text/html"),
        (('<meta charset="utf-16">' + title).encode(), "text/html"),
        (b"\xef\xbb\xbf" + title.encode(), "text/html; charset=windows-1251"),
        (b"\xff\xfe" + title.encode("utf-16-le"), "text/html; charset=utf-8"),
        (b"\xfe\xff" + title.encode("utf-16-be"), "text/html"),
        (('<?xml version="1.0" encoding="windows-1252"?>' + title).encode("cp1252"),
         "application/xhtml+xml"),
        (('<meta charset="windows-1251">' + title).encode("cp1252"),
         "text/html; charset=windows-1252"),
        (title.encode(), "text/html; charset=no-such-set"),
    ]:
        tag = await extract(ctx, page, content_type)
        assert part(tag, "title") == "Grüße", (page, content_type, tag)


async def test_broken_bytes_do_not_hide_a_title(ctx):
    """Bytes that the character set does not know cost themselves, not the preview."""
    tag = await extract(ctx, b"<title>a\xff\xfeb \xc3</title>", "text/html; charset=utf-8")
    assert tag["og:title"].startswith("a") and "b" in tag["og:title"], tag


async def test_a_wrong_url_is_named(ctx):
    """A --url that is none ends with a status that is not 0, and names it."""
    for url in ("nonsense", "ftp://example.com/", "/only/a/path", "http://", "javascript:1",
                "https://user:secret@example.com/"):
        code, output, errors = await ctx.run(
            ctx.parley, "preview", "extract", "--url", url, stdin=b"<title>T</title>")
        assert code != 0 and not output and b"--url" in errors, (url, code, output, errors)
    code, _, errors = await ctx.run(ctx.parley, "preview", "extract")
    assert code != 0 and b"--url" in errors, (code, errors)


async def test_long_pages(ctx):
    """Tags within 512 KB are found; 20 MB are read no further than that, and end nothing."""
    early = b"<title>Early</title>" + b"<p>words</p>" * 1_700_000
    assert (await extract(ctx, early))["og:title"] == "Early"
    filling = b"<!-- " + b"x" * 400_000 + b" -->"
    assert (await extract(ctx, filling + b"<title>Late</title>"))["og:title"] == "Late"
    assert await extract(ctx, b"<p>words</p>" * 100_000 + b"<title>Too late</title>") is None


async def test_hostile_pages(ctx):
    """Deep nesting, thousands of attributes and unclosed constructs end with a preview or null."""
    title = b"<title>T</title>"
    for before in (b"<div>" * 80_000, b"<a " + b"b=c " * 60_000 + b">", b"&" * 400_000,
                   b"<" * 400_000, b"&#" * 200_000, b"<meta " * 60_000 + b">"):
        tag = await extract(ctx, before + title)
        assert part(tag, "title") in ("T", None), (before[:20], tag)
    for after in (b"<!--" * 100_000, b'<a b="' + b"x" * 400_000, b"<script>" * 50_000,
                  b"<![CDATA[" * 40_000, b"\x00", b"<title>" * 50_000):
        assert (await extract(ctx, title + after))["og:title"] == "T", after[:20]
    nested = b'<script type="application/ld+json">' + b"[" * 100_000 + b"</script>"
    assert (await extract(ctx, nested + title))["og:title"] == "T"
