"""Pictures of previews that viewers load from the gateway: unfurl.images proxy."""

import asyncio
from urllib.parse import parse_qs, urlsplit

from files import call
from harness import eventually
from pages import Pages
from previewmetrics import metrics
from previews import with_pages
from thumbnails import film, jpeg, png, size_of

BASE = "https://chat.example/below"
FLAGS = [
    "--limits-throttle-messages", "0", "--limits-flood-messages", "0",
    "--limits-preview-fetches-per-second", "0", "--unfurl-allow-addresses", "127.0.0.1",
    "--unfurl-allow-ports", "1-65535", "--unfurl-timeout-ms", "20000",
    "--unfurl-max-concurrent-per-host", "64",
    "--unfurl-images", "proxy", "--files-public-url", BASE]
SVG = (b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
       b'<script>alert(1)</script></svg>')


async def get(server, address, method="GET", **headers):
    """What a viewer gets at an address, whatever stands before the gateway."""
    parts = urlsplit(address)
    return await asyncio.to_thread(
        call, server, method, f"{parts.path}?{parts.query}", None, headers)


async def shown(client, pages, path, picture, **members):
    """The picture of the preview of a page that names one."""
    pages.add(path, f"Page {path}", og__image=picture, **members)
    answer = await client.call("preview.fetch", url=pages.url(path))
    assert answer["og_tag"] and answer["og_tag"]["og:title"] == f"Page {path}", answer
    return answer["og_tag"]["og:image"]


def add(pages, path, content, kind):
    pages.answer(path, "200 OK", {"Content-Type": kind}, content)
    return pages.url(path)


@with_pages
async def test_viewers_load_a_copy(ctx, pages):
    """The message gets the gateway's address, the true size and no other; the copy is a small one."""
    server = await ctx.fresh(*FLAGS)
    original = await asyncio.to_thread(jpeg, 2400, 1260)
    url = add(pages, "/big picture.jpg?a=1&b=ü".replace(" ", "%20").replace("ü", "%C3%BC"),
              original, "image/jpeg")
    pages.add("/page", "A page", og__image=url.replace("&", "&amp;"), og__image__width="7",
              og__image__height="7", og__image__alt="a picture")
    channel, viewer, sender = await ctx.room(server, 1)
    sent = (await sender.send(channel, pages.url("/page")))["message"]
    assert sent["og_pending"] is True and sent["og_tag"] is None, sent
    received = (await viewer.event("message.received"))["message"]
    assert received["og_pending"] is True
    updated = (await viewer.event("message.updated"))["message"]
    assert "og_pending" not in updated
    image = updated["og_tag"]["og:image"]
    assert image["url"].startswith(f"{BASE}/previews/") and image["secure_url"] == image["url"]
    assert parse_qs(urlsplit(image["url"]).query)["url"] == [url] == [image["origin_url"]]
    assert (image["width"], image["height"], image["type"]) == (1200, 630, "image/jpeg"), image
    assert image["alt"] == "a picture"
    status, fields, body = await get(server, image["url"])
    assert status == 200 and size_of(body) == (1200, 630) and len(body) < len(original)
    assert fields["Content-Type"] == "image/jpeg"
    assert fields["X-Content-Type-Options"] == "nosniff"
    assert fields["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert fields["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert (await get(server, image["url"], "HEAD"))[1]["Content-Length"] == str(len(body))
    assert (await get(server, image["url"], **{"If-None-Match": fields["ETag"]}))[0] == 304
    # The proxy in front may take its path away.
    assert (await get(server, image["url"].replace("/below", "")))[2] == body
    # A message that knows the preview is sent with it, and asks for nothing more.
    again = (await sender.send(channel, pages.url("/page")))["message"]
    assert again["og_tag"]["og:image"] == image and "og_pending" not in again
    assert pages.count(urlsplit(url).path + "?" + urlsplit(url).query) == 1


@with_pages
async def test_addresses_are_signed(ctx, pages):
    """Nobody has the gateway fetch an address of their choice; another server's names are nothing."""
    server = await ctx.fresh(*FLAGS)
    client = await ctx.user(server)
    image = await shown(
        client, pages, "/a", add(pages, "/a.png", png(20, 10), "image/png"))
    assert image["url"].split("?")[0].endswith(".png")
    assert (image["width"], image["height"]) == (20, 10), image
    add(pages, "/other.png", png(3, 3), "image/png")
    name, _ = image["url"].split("?")
    last = name[-5]
    forged = name[:-5] + ("0" if last != "0" else "1") + ".png"
    for address in (
            f"{forged}?url={image['origin_url']}", f"{forged}?url={pages.url('/other.png')}",
            forged, f"{BASE}/previews/", f"{BASE}/previews/x.png", f"{BASE}/previews/{'0' * 32}",
            f"{BASE}/previews/..%2F..%2Fapi-token.png", f"{BASE}/previews/{'g' * 32}.png",
            f"{name[:-36]}{name[-36:].upper()}?url={image['origin_url']}"):
        status, _, body = await get(server, address)
        assert status == 404, (address, status, body)
    assert pages.count("/other.png") == 0 and pages.count("/a.png") == 1
    # The name alone finds what is there.
    assert (await get(server, name))[0] == 200


@with_pages
async def test_hostile_pictures_are_left_out(ctx, pages):
    """Programs, pages, films, broken and huge pictures: null, and the page's address nowhere."""
    server = await ctx.fresh(*FLAGS)
    client = await ctx.user(server)
    endless = pages.endless(
        "/endless", b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + png(9, 9),
        b"\0" * 65536)
    giant = pages.endless(
        "/giant", b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
        b"Content-Length: 1073741824\r\n\r\n\xff\xd8\xff", b"\0" * 65536)
    pages.redirect("/round", "/round")
    pages.redirect("/file", "file:///etc/passwd")
    hostile = {
        "svg": add(pages, "/x.svg", SVG, "image/svg+xml"),
        "svg as png": add(pages, "/s.png", SVG, "image/png"),
        "page as png": add(pages, "/p.png", b"<!doctype html><script>x</script>", "image/png"),
        "picture as page": add(pages, "/h.png", png(9, 9), "text/html"),
        "no type": add(pages, "/o.png", png(9, 9), "application/octet-stream"),
        "film": add(pages, "/f.png", await asyncio.to_thread(film), "image/png"),
        "cut": add(pages, "/c.png", png(500, 500)[:30], "image/png"),
        "bomb": add(pages, "/b.png", png(30000, 30000, rows=10), "image/png"),
        "empty": add(pages, "/e.png", b"", "image/png"),
        "endless": pages.url("/endless"), "giant": pages.url("/giant"),
        "missing": pages.url("/nothing.png"), "loop": pages.url("/round"),
        "file": pages.url("/file"), "closed": "http://127.0.0.1:1/x.png",
    }
    for number, (name, url) in enumerate(hostile.items()):
        image = await shown(client, pages, f"/{number}", url)
        assert image is None, (name, image)
    # What was too much was not read: a socket's buffers, not a gigabyte.
    assert sum(giant) < 20_000_000 and sum(endless) < 40_000_000, (sum(giant), sum(endless))
    image = await shown(
        client, pages, "/good", add(pages, "/good.gif", png(8, 8), "image/gif"))
    assert image["type"] == "image/png", image
    # A preview without its picture is still one.
    channel, sender = await ctx.room(server, 0)
    sent = (await sender.send(channel, pages.url("/0")))["message"]
    assert sent["og_tag"]["og:title"] == "Page /0" and sent["og_tag"]["og:image"] is None


@with_pages
async def test_pictures_pass_the_guard(ctx, pages):
    """Addresses that are not public are not connected to, named or reached by a redirect."""
    server = await ctx.fresh(*FLAGS)
    client = await ctx.user(server)
    secret = await Pages.start("127.0.0.2")
    try:
        inside = add(secret, "/secret.png", png(9, 9), "image/png")
        pages.redirect("/to", inside)
        pages.redirect("/metadata", "http://169.254.169.254/latest/meta-data/")
        for number, url in enumerate([
                inside, pages.url("/to"), pages.url("/metadata"),
                *(f"http://{host}:{secret.port}/secret.png" for host in (
                    "127.2", "0x7f000002", "2130706434", "[::ffff:127.0.0.2]", "[::1]", "0",
                    "10.0.0.1", "192.168.0.1", "169.254.169.254", "[fd00:ec2::254]",
                    "[64:ff9b::7f00:2]", "[2002:7f00:2::]"))]):
            assert await shown(client, pages, f"/{number}", url) is None, url
        assert secret.connections == 0
    finally:
        secret.server.close()


@with_pages
async def test_copies_are_bounded_and_come_again(ctx, pages):
    """Old copies make room on disk; their addresses still show the picture, fetched anew."""
    server = await ctx.fresh(*FLAGS, "--unfurl-images-disk-bytes", "40000")
    client = await ctx.user(server)
    picture = await asyncio.to_thread(jpeg, 640, 480)
    images = [
        await shown(client, pages, f"/{number}",
                    add(pages, f"/{number}.jpg", picture, "image/jpeg"))
        for number in range(12)]
    assert all(images), images
    figures = await metrics(server)
    assert 0 < figures["parley_preview_picture_bytes"] <= 40000, figures
    assert figures['parley_preview_pictures_total{outcome="made"}'] == 12
    for number, image in enumerate(images):
        status, _, body = await get(server, image["url"])
        assert status == 200 and size_of(body) == (640, 480), (number, status)
    assert sum(pages.count(f"/{number}.jpg") for number in range(12)) > 12
    # A later process knows them too.
    await server.end()
    again = await ctx.fresh(*FLAGS, "--unfurl-images-disk-bytes", "40000", data=server.data)
    before = pages.count("/11.jpg")
    assert (await get(again, images[11]["url"]))[0] == 200
    assert pages.count("/11.jpg") == before


@with_pages
async def test_a_picture_that_fails_for_now_comes_later(ctx, pages):
    """Its server answers 503 once: the preview without it is kept no longer than a failure."""
    server = await ctx.fresh(*FLAGS, "--unfurl-negative-ttl-seconds", "1")
    client = await ctx.user(server)
    pages.answer("/late.png", "503 Service Unavailable", {"Content-Type": "text/plain"}, b"busy")
    assert await shown(client, pages, "/late", pages.url("/late.png")) is None
    add(pages, "/late.png", png(9, 9), "image/png")

    async def comes():
        return (await client.call("preview.fetch", url=pages.url("/late")))["og_tag"]["og:image"]
    image = await eventually(comes, "the picture of the preview")
    assert image["origin_url"] == pages.url("/late.png"), image


@with_pages
async def test_a_hundred_viewers_share_one_fetch(ctx, pages):
    """Pages with the same picture, asked for at once: it is fetched once."""
    server = await ctx.fresh(*FLAGS, "--limits-calls-per-second", "0")
    url = add(pages, "/shared.png", png(30, 30), "image/png")
    gate = pages.hold("/shared.png")
    users = await ctx.users(server, 20)

    async def ask(number, client):
        return await shown(client, pages, f"/of/{number}", url)
    asking = [asyncio.create_task(ask(number, client)) for number, client in enumerate(users)]
    await pages.asked_for("/shared.png")
    gate.set()
    images = await asyncio.gather(*asking)
    assert len({image["url"] for image in images}) == 1
    assert pages.count("/shared.png") == 1


@with_pages
async def test_turning_it_on_hides_what_was_known(ctx, pages):
    """A preview that was remembered with the page's own picture is shown without it."""
    flags = [flag for flag in FLAGS if flag not in ("--unfurl-images", "proxy")]
    server = await ctx.fresh(*flags)
    url = add(pages, "/a.png", png(9, 9), "image/png")
    assert (await shown(await ctx.user(server), pages, "/a", url))["url"] == url
    await server.end()
    again = await ctx.fresh(*FLAGS, data=server.data)
    client = await ctx.user(again)
    answer = await client.call("preview.fetch", url=pages.url("/a"))
    assert answer["cached"] and answer["og_tag"]["og:image"] is None, answer
    assert "origin_url" not in str(answer)


async def test_settings_that_do_not_fit(ctx):
    """Without a base for addresses, or with a preview service, the start is refused."""
    for flags, named in (
            (("--unfurl-images", "proxy"), b"files.public_url"),
            (("--unfurl-images", "proxy", "--files-public-url", BASE, "--unfurl-mode", "http",
              "--unfurl-url", "http://127.0.0.1:9/"), b"unfurl.images")):
        status, _, errors = await ctx.run(
            ctx.parleyd, "--check-config", "--data-dir", ctx.directory(), *flags)
        assert status != 0 and named in errors, (status, errors)
