"""Translations: with a send, after an edit, on demand; with apertium and with services that misbehave."""

import asyncio
import contextlib
import functools
import json
import time

from harness import PATIENCE, Refused, eventually, http, refused, scaled
from pagefiles import enter, in_browser
from services import ScriptedService
from translators import ScriptedTranslator, apertium
from uploads import create, put
from webhooks import Receiver
from webhooks import flags as webhook_flags

# Nothing comes too late by accident, however slow the machine is.
PATIENT = ["--limits-send-wait-ms", "60000", "--translation-timeout-ms", "30000"]
UNLIMITED = ["--limits-translations-per-second", "0", "--limits-flood-messages", "0"]


def with_translator(test):
    """The test is given a scripted service."""
    @functools.wraps(test)
    async def wrapped(ctx):
        service = await ScriptedTranslator.start()
        try:
            await test(ctx, service)
        finally:
            await service.stop()
    return wrapped


async def ready(server):
    """Waits until the server has learned the languages."""
    async def learned():
        _, answer = await server.api("GET", "/parley/translation/languages")
        return answer["languages"]
    return await eventually(learned, "the languages")


async def started(ctx, service, *flags, **options):
    server = await ctx.fresh(*service.flags, *UNLIMITED, *flags, **options)
    await ready(server)
    return server


async def translate(client, channel, number, *languages):
    answer = await client.call("message.translate", channel_url=channel, message_id=number,
                               target_langs=list(languages))
    return answer["message"]


async def stored(client, channel, number):
    return (await client.call("message.get", channel_url=channel, message_id=number))["message"]


async def post(server, path, **body):
    status, _, answer = await http(
        server.port, "POST", f"/v3{path}",
        {"Api-Token": server.api_token, "Content-Type": "application/json",
         "Content-Length": len(json.dumps(body).encode())}, json.dumps(body).encode())
    return status, json.loads(answer)


async def test_spanish_by_apertium(ctx):
    """A send's Spanish is in the answer, the event, the list, the message, recovery, and cached."""
    process, url = await apertium()
    try:
        server = await ctx.fresh(
            "--unfurl-mode", "off", "--translation-mode", "apertium", "--translation-url", url,
            "--translation-source", "en", *PATIENT)
        assert await ready(server) == ["es"]
        channel, owner, viewer = await ctx.room(server, 1)
        entry = await viewer.enter(channel)
        position = {"epoch": entry["epoch"], "seq": entry["seq"]}
        features = (await ctx.user(server)).session["features"]
        assert features["translation"] == {"languages": ["es"], "per_message": 10}, features
        sent = await owner.send(channel, "The house is red.",
                                translation_target_langs=["ES", "xx", "en"])
        spanish = {"ES": "La casa es roja."}
        assert sent["message"]["translations"] == spanish, sent
        number = sent["message"]["message_id"]
        event = await viewer.event("message.received")
        assert event["message"]["translations"] == spanish
        assert (await stored(viewer, channel, number))["translations"] == spanish
        listed = await viewer.call("message.list", channel_url=channel)
        assert listed["messages"][-1]["translations"] == spanish
        late = await ctx.user(server)
        answer = await late.call("channel.enter", channel_url=channel, recover=position)
        assert answer["events"][-1]["params"]["message"]["translations"] == spanish, answer
        # Long texts are posted; HTML and entities come back as they were.
        long = "The house. " * 400
        sent = await owner.send(channel, long, translation_target_langs=["es"])
        assert sent["message"]["translations"]["es"].count("La casa.") == 400
        sent = await owner.send(channel, "<b>&amp; &lt;i&gt;</b>", translation_target_langs=["es"])
        assert sent["message"]["translations"] == {"es": "<b>&amp; &lt;i&gt;</b>"}, sent
    finally:
        process.terminate()
        await process.wait()
    # Without the service, after a restart: from the file.
    await server.end()
    again = await ctx.fresh(
        "--unfurl-mode", "off", "--translation-mode", "apertium", "--translation-url", url,
        "--translation-source", "en", *PATIENT, data=server.data)
    channel, owner = await ctx.room(again, 0)
    sent = await owner.send(channel, "The house is red.", translation_target_langs=["es"])
    assert sent["message"]["translations"] == {"es": "La casa es roja."}


@with_translator
async def test_a_send_with_languages(ctx, service):
    """Each language that the service has, as asked for; the text's own is left out; lists of wrongs."""
    server = await started(ctx, service, *PATIENT)
    channel, owner, viewer = await ctx.room(server, 1)
    sent = await owner.send(channel, "hello", translation_target_langs=["es", "DE", "en", "xx"])
    assert sent["message"]["translations"] == {"es": "es:hello", "DE": "de:hello"}, sent
    assert sorted(q["target"] for q in service.asked) == ["de", "en", "es"], service.asked
    assert all(q["source"] == "auto" and q["format"] == "text" for q in service.asked)
    assert (await viewer.event("message.received"))["message"] == sent["message"]
    # The same again: nobody is asked, the text's own language neither.
    again = await owner.send(channel, "hello", translation_target_langs=["de", "en"])
    assert again["message"]["translations"] == {"de": "de:hello"} and len(service.asked) == 3
    for code, wish in ((400203, [f"la-{n}" for n in range(11)]), (400111, ["pt_BR"])):
        async with refused(code, field="translation_target_langs"):
            await owner.call("message.send", channel_url=channel, message="noon",
                             translation_target_langs=wish)
    empty = await owner.send(channel, "new", translation_target_langs=[])
    assert empty["message"]["translations"] == {} and service.count("new") == 0
    file = await owner.call("message.send", channel_url=channel, message_type="FILE",
                            url="https://a.example/f", message="hello",
                            translation_target_langs=["es"])
    assert file["message"]["translations"] == {}
    # Over the Platform API, the administrator's too.
    for body in ({"message_type": "MESG", "user_id": owner.user_id}, {"message_type": "ADMM"}):
        status, message = await post(
            server, f"/open_channels/{channel}/messages", **body, message="noon",
            translation_target_langs=["fr"])
        assert status == 200 and message["translations"] == {"fr": "fr:noon"}, message
    event = await viewer.until(
        lambda: [e for e in viewer.told("message.received")
                 if e["params"]["message"]["type"] == "ADMM"], "the admin message")
    assert event[0]["params"]["message"]["translations"] == {"fr": "fr:noon"}


@with_translator
async def test_odd_texts_come_back_as_they_were(ctx, service):
    """5,000 combining marks, NUL, right-to-left, HTML, entities, emoji."""
    server = await started(ctx, service, *PATIENT)
    channel, owner = await ctx.room(server, 0)
    for text in ("e" + "\u0301" * 4_998, "a\0b", "\u202eabc \u05d0", "<script>&lt;&amp;",
                 "ok \U0001f468\u200d\U0001f469\u200d\U0001f467", "\\ \" \u2028", "a\r\n\tb"):
        try:
            sent = await owner.send(channel, text, translation_target_langs=["es"])
        except Refused:
            continue
        translated = sent["message"]["translations"]
        assert translated == {"es": "es:" + text}, (text, translated)
        assert service.asked[-1]["q"] == text


@with_translator
async def test_texts_without_words_are_not_sent(ctx, service):
    """Emoji, blanks and addresses alone are the same in each language, and no error."""
    server = await started(ctx, service, *PATIENT)
    channel, owner = await ctx.room(server, 0)
    for text in ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u200b \u2003", "https://example.com/a",
                 "example.com me@example.com"):
        sent = await owner.send(channel, text, translation_target_langs=["es"])
        assert sent["message"]["translations"] == {}, text
        answer = await owner.call(
            "message.translate", channel_url=channel, message_id=sent["message"]["message_id"],
            target_langs=["es"])
        assert answer["message"]["translations"] == {}, text
    assert not service.asked


@with_translator
async def test_slow_translations_follow_by_one_update(ctx, service):
    """What is there when the wait ends goes with the message, all else by one update to everybody."""
    server = await started(ctx, service, "--limits-send-wait-ms", scaled(600))
    channel, owner, viewer = await ctx.room(server, 1)
    service.answers["slow"] = {"de": None}

    answered = asyncio.Event()

    async def late(_, writer):
        await answered.wait()
        writer.write(ScriptedService.written(200, {"translatedText": "langsam"}))

    async def later(_, writer):
        await answered.wait()
        await asyncio.sleep(0.5)
        writer.write(ScriptedService.written(200, {"translatedText": "lent"}))
    service.answers["slow"] = {"de": late, "fr": later}
    began = time.monotonic()
    waiting = await owner.ask("message.send", channel_url=channel, message="slow",
                              translation_target_langs=["es", "de", "fr"])
    # Other calls of the connection overtake it; another user's message does not wait.
    await owner.call("session.ping")
    await viewer.send(channel, "meanwhile")
    assert not waiting.done()
    sent = (await owner.result(waiting))["message"]
    assert 0.55 <= time.monotonic() - began < 1.9 * PATIENCE
    assert sent["translations"] == {"es": "es:slow"}, sent
    answered.set()
    for client in (owner, viewer):
        event = await client.event("message.updated")
        assert event["message"]["translations"] == {
            "es": "es:slow", "de": "langsam", "fr": "lent"}, event
        assert event["message"]["updated_at"] == 0
    await asyncio.sleep(0.5)
    assert len(viewer.told("message.updated")) == 1


@with_translator
async def test_files_behind_a_waiting_message(ctx, service):
    """Files that queue behind a message which waits do not hold up the connection's other calls."""
    server = await started(
        ctx, service, *PATIENT, "--limits-throttle-messages", "0")
    channel, owner, viewer = await ctx.room(server, 1)
    numbers = []
    for _ in range(2):
        file, url = await create(owner, 1)
        assert (await put(server, url, b"x"))[0] == 201
        numbers.append(file["file_id"])
    answered = asyncio.Event()

    async def late(_, writer):
        await answered.wait()
        writer.write(ScriptedService.written(200, {"translatedText": "langsam"}))
    service.answers["slow"] = {"de": late}
    waiting = [
        await owner.ask("message.send", channel_url=channel, message="slow",
                        translation_target_langs=["de"]),
        await owner.ask("message.send", channel_url=channel, message_type="FILE",
                        file_id=numbers[0]),
        await owner.ask("message.send_files", channel_url=channel,
                        files=[{"file_id": numbers[1]}])]
    await owner.call("session.ping")
    assert not any(one.done() for one in waiting)
    answered.set()
    for one in waiting:
        await owner.result(one)
    await viewer.until(lambda: len(viewer.told("message.received")) == 3, "three messages")
    order = [event["params"]["message"] for event in viewer.told("message.received")]
    assert order[0]["message"] == "slow", order
    assert [message["file"]["file_id"] for message in order[1:]] == numbers, order


@with_translator
async def test_a_batch_with_a_waiting_message(ctx, service):
    """A message of a batch that waits holds up neither the batch's other calls nor the connection's."""
    server = await started(ctx, service, *PATIENT)
    channel, owner, viewer = await ctx.room(server, 1)
    answered, other = asyncio.Event(), ctx.name("other")

    async def late(_, writer):
        await answered.wait()
        writer.write(ScriptedService.written(200, {"translatedText": "langsam"}))
    service.answers["slow"] = {"de": late}
    call = {"jsonrpc": "2.0"}
    await owner.write([
        {**call, "id": 901, "method": "message.send", "params": {
            "channel_url": channel, "message": "slow", "translation_target_langs": ["de"]}},
        {**call, "id": 902, "method": "channel.create", "params": {"channel_url": other}},
        {**call, "id": 903, "method": "message.send", "params": {
            "channel_url": channel, "message": "quick"}}])
    await service.until_asked("slow")
    await owner.call("session.ping")
    await viewer.enter(other)

    def batches():
        return [value for value in owner.inbox if isinstance(value, list)]
    assert not batches() and not viewer.told("message.received")
    answered.set()
    answers = (await owner.until(batches, "the batch"))[0]
    assert [answer["id"] for answer in answers] == [901, 902, 903], answers
    assert answers[0]["result"]["message"]["translations"] == {"de": "langsam"}, answers
    await viewer.until(lambda: len(viewer.told("message.received")) == 2, "two messages")
    assert [message["message"] for message in viewer.messages(channel)] == ["slow", "quick"]


@with_translator
async def test_edits_and_deletions(ctx, service):
    """A new text drops the translations and makes them anew; a late result for the old one is dropped."""
    server = await started(ctx, service, "--limits-send-wait-ms", scaled(500))
    channel, owner, viewer = await ctx.room(server, 1)
    edited, deleted = asyncio.Event(), asyncio.Event()

    def held(gate, text):
        async def answer(_, writer):
            await gate.wait()
            writer.write(ScriptedService.written(200, {"translatedText": f"es:{text}"}))
        return answer
    service.answers["slow"] = held(edited, "slow")

    async def translated():
        return (await stored(viewer, channel, number))["translations"] == {"es": "es:one"}
    sent = (await owner.send(channel, "one", translation_target_langs=["es"]))["message"]
    number = sent["message_id"]
    await eventually(translated, "the translation")
    changed = await owner.call("message.update", channel_url=channel, message_id=number,
                               message="two")
    assert changed["message"]["translations"] == {}
    event = await viewer.until(
        lambda: [e for e in viewer.told("message.updated")
                 if e["params"]["message"]["translations"] == {"es": "es:two"}],
        "the new translations")
    assert event[0]["params"]["message"]["message"] == "two"
    # Edited while it runs.
    sent = (await owner.send(channel, "slow", translation_target_langs=["es"]))["message"]
    assert sent["translations"] == {}
    number = sent["message_id"]
    await owner.call("message.update", channel_url=channel, message_id=number, message="quick")

    async def renewed():
        return (await stored(viewer, channel, number))["translations"] == {"es": "es:quick"}
    await eventually(renewed, "the translation of the new text")
    edited.set()
    await asyncio.sleep(0.5)
    assert (await stored(viewer, channel, number))["translations"] == {"es": "es:quick"}
    # Deleted while it runs.
    service.answers["gone"] = held(deleted, "gone")
    number = (await owner.send(channel, "gone", translation_target_langs=["es"]))[
        "message"]["message_id"]
    await owner.call("message.delete", channel_url=channel, message_id=number)
    deleted.set()
    await asyncio.sleep(0.5)
    told = [e["params"]["message"]["message_id"] for e in viewer.told("message.updated")]
    assert number not in told and service.count("gone") == 1


@with_translator
async def test_on_demand(ctx, service):
    """Who may send asks; it is stored and told once, to everybody else."""
    server = await started(ctx, service)
    channel, owner, viewer, asker = await ctx.room(server, 2)
    number = (await owner.send(channel, "hello"))["message"]["message_id"]
    message = await translate(asker, channel, number, "es", "xx", "en")
    assert message["translations"] == {"es": "es:hello"}, message
    for client in (owner, viewer):
        event = await client.event("message.updated")
        assert event["message"] == message
    assert not asker.told("message.updated")
    # Stored ones are answered at once, and told nobody.
    assert (await translate(viewer, channel, number, "ES"))["translations"] == {"es": "es:hello"}
    assert (await translate(viewer, channel, number, "en"))["translations"] == {"es": "es:hello"}
    await asyncio.sleep(0.3)
    assert len(owner.told("message.updated")) == 1 and service.count("hello") == 2
    # Over the Platform API: everybody is told.
    status, answer = await post(
        server, f"/open_channels/{channel}/messages/{number}/translation", target_langs=["de"])
    assert status == 200 and answer["translations"] == {
        "es": "es:hello", "de": "de:hello"}, answer
    await asker.event("message.updated")
    # Readers who may not send are answered, and nothing is stored or told.
    stranger, everyone = await ctx.user(server), (owner, viewer, asker)
    told = [len(client.told("message.updated")) for client in everyone]
    assert (await translate(stranger, channel, number, "fr"))["translations"]["fr"] == "fr:hello"
    await owner.call("channel.mute", channel_url=channel, user_id=viewer.user_id, seconds=60)
    assert (await translate(viewer, channel, number, "fr"))["translations"]["fr"] == "fr:hello"
    await owner.call("channel.freeze", channel_url=channel)
    assert (await translate(asker, channel, number, "fr"))["translations"]["fr"] == "fr:hello"
    assert "fr" not in (await stored(owner, channel, number))["translations"]
    await owner.call("channel.unfreeze", channel_url=channel)
    await asker.event("channel.unfrozen")
    assert [len(client.told("message.updated")) for client in everyone] == told
    assert (await translate(asker, channel, number, "fr"))["translations"]["fr"] == "fr:hello"
    assert "fr" in (await stored(owner, channel, number))["translations"]


@with_translator
async def test_refusals_on_demand(ctx, service):
    """Files, admin messages, unknown languages, too many, none, deleted, ephemeral; none is asked."""
    service.languages = [*service.languages, *(f"la-{n}" for n in range(10))]
    server = await started(ctx, service, *PATIENT)
    channel, owner = await ctx.room(server, 0)
    file = await owner.call("message.send", channel_url=channel, message_type="FILE",
                            url="https://a.example/f")
    _, admin = await post(server, f"/open_channels/{channel}/messages", message_type="ADMM",
                          message="x")
    number = (await owner.send(channel, "hello"))["message"]["message_id"]
    for refused_one in (file["message"]["message_id"], admin["message_id"]):
        async with refused(400111, field="message_id"):
            await translate(owner, channel, refused_one, "es")
    async with refused(400111, unsupported=["xx", "yy"], field="target_langs"):
        await translate(owner, channel, number, "xx", "yy")
    async with refused(400203, field="target_langs"):
        await translate(owner, channel, number, *(f"la-{n}" for n in range(11)))
    async with refused(400105, field="target_langs"):
        await translate(owner, channel, number)
    async with refused(400201, field="message_id"):
        await translate(owner, channel, 17, "es")
    assert service.asked == []
    ten = await translate(owner, channel, number, *(f"la-{n}" for n in range(10)))
    assert len(ten["translations"]) == 10
    # The first of those that were added on demand gives way, also after a restart; the sender's stay.
    message = await translate(owner, channel, number, "es")
    assert len(message["translations"]) == 10 and "es" in message["translations"]
    assert "la-0" not in message["translations"]
    sent = await owner.send(
        channel, "bye", translation_target_langs=[f"la-{n}" for n in range(9)])
    other = sent["message"]["message_id"]
    for language in ("la-9", "es"):
        message = await translate(owner, channel, other, language)
        assert len(message["translations"]) == 10, message
    async with refused(400203, field="target_langs"):
        await translate(owner, channel, other, "de", "fr")
    await server.end()
    server = await started(ctx, service, *PATIENT, data=server.data)
    owner = await ctx.user(server, owner.user_id)
    await owner.enter(channel)
    message = await translate(owner, channel, other, "de")
    assert "es" not in message["translations"] and len(message["translations"]) == 10, message
    quiet = ctx.name("quiet")
    await owner.call("channel.create", channel_url=quiet, is_ephemeral=True)
    await owner.enter(quiet)
    sent = await owner.send(quiet, "hello", translation_target_langs=["es"])
    assert sent["message"]["translations"] == {"es": "es:hello"}
    async with refused(400201):
        await translate(owner, quiet, sent["message"]["message_id"], "de")


@with_translator
async def test_a_hundred_ask_for_one_message(ctx, service):
    """One question, a hundred answers; one update when participants ask."""
    server = await started(ctx, service)
    channel, owner = await ctx.room(server, 0)
    service.answers["hello"] = 1
    number = (await owner.send(channel, "hello"))["message"]["message_id"]
    readers = await asyncio.gather(*(ctx.user(server) for _ in range(100)))
    found = await asyncio.gather(*(translate(r, channel, number, "es") for r in readers))
    assert all(message["translations"] == {"es": "es:hello"} for message in found)
    assert service.count("hello") == 1
    assert not owner.told("message.updated")
    await asyncio.gather(*(reader.enter(channel) for reader in readers))
    found = await asyncio.gather(*(translate(r, channel, number, "es") for r in readers))
    assert all(message["translations"] == {"es": "es:hello"} for message in found)
    await owner.event("message.updated")
    await asyncio.sleep(0.3)
    assert len(owner.told("message.updated")) == 1


@with_translator
async def test_the_rate_of_a_user(ctx, service):
    """Five a second on demand; beyond 500910, and the connection goes on."""
    server = await ctx.fresh(*service.flags)
    await ready(server)
    channel, owner = await ctx.room(server, 0)
    number = (await owner.send(channel, "hello"))["message"]["message_id"]
    waiting = [await owner.ask("message.translate", channel_url=channel, message_id=number,
                               target_langs=["es"]) for _ in range(8)]
    codes = []
    for answer in waiting:
        try:
            await owner.result(answer)
            codes.append(None)
        except Refused as refusal:
            assert refusal.data["retry_after_ms"] <= 1_000 and refusal.data["limit"] == 5
            codes.append(refusal.code)
    assert codes.count(None) >= 5 and codes.count(500910) >= 2, codes


@with_translator
async def test_services_that_misbehave(ctx, service):
    """HTML, a list, nothing, redirects, endless answers, a slow one: 500901, and the next works."""
    server = await started(ctx, service, "--translation-timeout-ms", scaled(1500))
    channel, owner = await ctx.room(server, 0)

    async def drips(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.3)

    async def floods(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"a" * 65_536)
                await writer.drain()

    async def nothing(_, writer):
        writer.close()
    wrongs = {
        "html": ((200, b"<html>no</html>"), "failed"),
        "list": ((200, ["La casa"]), "failed"),
        "empty": ((200, b""), "failed"),
        "null": ((200, {"translatedText": None}), "failed"),
        "error": ((400, {"error": "no"}), "failed"),
        "redirect": ((302, b"", {"Location": f"{service.url}/translate"}), "failed"),
        "nothing": (nothing, "failed"),
        "flood": (floods, "failed"),
        "drip": (drips, "timed_out"),
    }
    for text, (answer, reason) in wrongs.items():
        service.answers[text] = answer
        number = (await owner.send(channel, text))["message"]["message_id"]
        async with refused(500901, reason=reason):
            await translate(owner, channel, number, "es")
        assert service.count(text) == 1
        # An answer closes the circuit.
        good = (await owner.send(channel, f"good {text}"))["message"]["message_id"]
        assert (await translate(owner, channel, good, "es"))["translations"]
    # Partly: what came.
    service.answers["part"] = {"es": (500, b""), "de": None}
    number = (await owner.send(channel, "part"))["message"]["message_id"]
    assert (await translate(owner, channel, number, "es", "de"))["translations"] == {
        "de": "de:part"}


@with_translator
async def test_a_dead_service_is_waited_for_five_times(ctx, service):
    """Messages wait for a dead service no more than five times; then they go out at once."""
    server = await started(ctx, service, "--limits-send-wait-ms", scaled(500))
    channel, owner = await ctx.room(server, 0)
    service.dead = True
    times = []
    for number in range(9):
        began = time.monotonic()
        sent = await owner.send(channel, f"text {number}", translation_target_langs=["es"])
        assert sent["message"]["translations"] == {}
        times.append(time.monotonic() - began)
    # The next may be sent before it is known that the fifth has failed.
    assert all(t > 0.45 for t in times[:5]) and all(t < 0.3 * PATIENCE for t in times[6:]), times
    # It comes back.
    service.dead = False

    async def back():
        sent = await owner.send(channel, ctx.name("text"), translation_target_langs=["es"])
        return sent["message"]["translations"]
    await eventually(back, "a translation")


@with_translator
async def test_a_closed_port(ctx, service):
    """Nothing waits for a closed port, and the circuit opens."""
    server = await started(ctx, service)
    channel, owner = await ctx.room(server, 0)
    await service.stop()
    began = time.monotonic()
    for number in range(8):
        sent = await owner.send(channel, f"closed {number}", translation_target_langs=["es"])
        assert sent["message"]["translations"] == {}
    assert time.monotonic() - began < 2 * PATIENCE
    status, _, body = await http(server.port, "GET", "/metrics")
    assert status == 200 and b"parley_translation_service_up 0" in body


@with_translator
async def test_a_pause_that_the_service_asks_for(ctx, service):
    """After 429 with Retry-After nothing is asked until that is over, and messages go out at once."""
    server = await started(ctx, service)
    channel, owner = await ctx.room(server, 0)
    service.answers["busy"] = (429, {"error": "slow down"}, {"Retry-After": "2"})
    number = (await owner.send(channel, "busy"))["message"]["message_id"]
    began = time.monotonic()
    async with refused(500901, reason="failed"):
        await translate(owner, channel, number, "es")
    sent = await owner.send(channel, "at once", translation_target_langs=["es"])
    assert sent["message"]["translations"] == {} and service.count("at once") == 0
    # The service answers: the circuit stays closed.
    status, _, body = await http(server.port, "GET", "/metrics")
    assert status == 200 and b"parley_translation_service_up 1" in body

    async def back():
        sent = await owner.send(channel, ctx.name("text"), translation_target_langs=["es"])
        return sent["message"]["translations"]
    await eventually(back, "a translation")
    assert time.monotonic() - began > 1.9


@with_translator
async def test_one_user_does_not_hold_up_another(ctx, service):
    """A user whose texts fill the translator's queue does not keep another's from its turn."""
    server = await started(ctx, service, "--translation-concurrency", "1")
    channel, owner, other = await ctx.room(server, 1)
    numbers = [
        (await sender.send(channel, text))["message"]["message_id"]
        for sender, text in [(owner, f"many {n}") for n in range(12)] + [(other, "one")]]
    service.delay = 0.2
    many = [asyncio.ensure_future(translate(owner, channel, n, "es", "de")) for n in numbers[:12]]
    while not service.asked:
        await service.arrived.wait()
    before = len(service.asked)
    await translate(other, channel, numbers[12], "es")
    asked = [question["q"] for question in service.asked]
    # Some are asked while the call arrives, and one more may go before it.
    assert asked.index("one") - before <= 4, asked
    # Each of them has a time, too.
    service.delay = 0
    await asyncio.gather(*many)


@with_translator
async def test_a_days_characters(ctx, service):
    """What may be translated in a day is counted across restarts; beyond, nothing is asked."""
    flags = ["--translation-characters-per-day", "12", *PATIENT]
    server = await started(ctx, service, *flags)
    channel, owner = await ctx.room(server, 0)
    sent = await owner.send(channel, "12345", translation_target_langs=["es", "de"])
    assert len(sent["message"]["translations"]) == 2
    assert (await owner.send(channel, "123", translation_target_langs=["es"]))[
        "message"]["translations"] == {}
    await server.end()
    again = await started(ctx, service, *flags, data=server.data)
    channel, owner = await ctx.room(again, 0)
    assert (await owner.send(channel, "1234", translation_target_langs=["es"]))[
        "message"]["translations"] == {}
    # What is remembered costs nothing.
    assert (await owner.send(channel, "12345", translation_target_langs=["es"]))[
        "message"]["translations"] == {"es": "es:12345"}
    _, _, body = await http(again.port, "GET", "/metrics")
    assert b'parley_translations_total{outcome="budget"} 1' in body, body


@with_translator
async def test_a_users_characters_of_a_minute(ctx, service):
    """A user gets no more in a minute than it may; others do, and the start warns of a paid service."""
    flags = ["--translation-characters-per-user-minute", "12", *PATIENT]
    server = await started(ctx, service, *flags, environment={"PARLEY_TRANSLATION_API_KEY": "k"})
    assert any("translation.characters_per_day" in line for line in server.lines), server.lines
    channel, owner, other = await ctx.room(server, 1)
    # At most two minutes begin meanwhile: one of them has room for two of the texts.
    got = [(await owner.send(channel, f"1234{n}", translation_target_langs=["es"]))["message"]
           for n in range(8)]
    assert 2 <= sum(bool(message["translations"]) for message in got) <= 4, got
    assert (await other.send(channel, "abcde", translation_target_langs=["es"]))[
        "message"]["translations"] == {"es": "es:abcde"}
    _, _, body = await http(server.port, "GET", "/metrics")
    assert b'parley_translations_total{outcome="rate"}' in body, body


@with_translator
async def test_without_a_cache_on_disk(ctx, service):
    """A restart brings no translation back, and the day's characters are counted across it all the same."""
    for flag, asked, characters in (
            ("--translation-cache-disk-bytes", 1, 9), ("--translation-cache-ttl-seconds", 2, 14)):
        flags = [flag, "0", "--translation-characters-per-day", str(characters), *PATIENT]
        server = await started(ctx, service, *flags)
        channel, owner = await ctx.room(server, 0)
        text = ctx.name("t")[-5:]
        for _ in range(2):
            sent = await owner.send(channel, text, translation_target_langs=["es"])
            assert sent["message"]["translations"] == {"es": f"es:{text}"}, sent
        assert service.count(text) == asked, service.asked
        await server.end()
        again = await started(ctx, service, *flags, data=server.data)
        channel, owner = await ctx.room(again, 0)
        sent = await owner.send(channel, text, translation_target_langs=["es"])
        assert sent["message"]["translations"] == {} and service.count(text) == asked, sent
        await again.end()


@with_translator
async def test_webhooks_have_the_translations(ctx, service):
    """What a message goes out with is in its webhook, and what comes later in that of its update."""
    async with Receiver() as receiver:
        events = webhook_flags(receiver, events="message.received,message.updated")
        server = await started(
            ctx, service, *(flag for flag in events if "flood" not in flag),
            "--limits-send-wait-ms", scaled(1500), "--translation-timeout-ms", "60000")
        channel, owner = await ctx.room(server, 0)
        sent = asyncio.Event()

        async def late(_, writer):
            await sent.wait()
            writer.write(ScriptedService.written(200, {"translatedText": "es:late"}))
        service.answers["late"] = late
        for text in ("quick", "late"):
            await owner.send(channel, text, translation_target_langs=["es"])
        sent.set()

        def posted(event):
            return [(e["message"]["message"], e["message"]["translations"])
                    for e in receiver.of(channel) if e["event"] == event]
        await receiver.until(lambda: posted("message.updated"))
        assert posted("message.received") == [("quick", {"es": "es:quick"}), ("late", {})]
        assert posted("message.updated") == [("late", {"es": "es:late"})]
        # On demand, too.
        number = (await owner.send(channel, "asked"))["message"]["message_id"]
        await translate(owner, channel, number, "de")
        await receiver.until(lambda: ("asked", {"de": "de:asked"}) in posted("message.updated"))


@with_translator
async def test_withheld_messages_are_not_updated(ctx, service):
    """A viewer from whom a message was withheld is not told of its translations either."""
    server = await started(
        ctx, service, "--limits-send-wait-ms", "0", "--limits-throttle-messages", "2")
    channel, owner, viewer = await ctx.room(server, 1)
    service.delay = 0.4
    for number in range(4):
        await owner.send(channel, f"text {number}", translation_target_langs=["es"])
    await owner.until(lambda: len(owner.told("message.updated")) == 4, "four updates")
    await viewer.until(lambda: len(viewer.told("message.updated")) >= 2, "two updates")
    await asyncio.sleep(0.3)
    shown = {e["params"]["message"]["message_id"] for e in viewer.told("message.received")}
    updated = {e["params"]["message"]["message_id"] for e in viewer.told("message.updated")}
    assert updated == shown and len(shown) == 2, (shown, updated)


@with_translator
async def test_the_operators_view(ctx, service):
    """Languages, a test of the service, the commands, and the log, which never has a text."""
    server = await started(ctx, service, "--log-level", "trace")
    status, answer = await server.api("GET", "/parley/translation/languages")
    assert status == 200 and answer == {
        "mode": "libretranslate", "languages": ["de", "en", "es", "fr"], "per_message": 10,
        "service_up": True}, answer
    status, answer = await post(server, "/parley/translation/test", message="A secret",
                                target_langs=["es", "xx"])
    assert status == 200 and answer["translations"] == {"es": "es:A secret"}, answer
    assert answer["unsupported"] == ["xx"] and answer["problem"] == ""
    service.answers["Another secret"] = (500, {"error": "Another secret is no good"})
    _, answer = await post(server, "/parley/translation/test", message="Another secret",
                           target_langs=["es"])
    assert answer["translations"] == {} and answer["problem"] == "failed"
    assert "secret" not in "\n".join(server.lines)
    off = await ctx.server()
    status, answer = await off.api("GET", "/parley/translation/languages")
    assert answer["mode"] == "off" and answer["languages"] == []
    status, answer = await post(off, "/parley/translation/test", message="x", target_langs=["es"])
    assert status == 400 and answer["code"] == 400920, answer
    assert "translation" not in (await ctx.user(off)).session["features"]


@with_translator
async def test_the_commands(ctx, service):
    """parley translates messages, lists the languages and tests the service."""
    server = await started(ctx, service, *PATIENT)
    channel, owner = await ctx.room(server, 0)
    number = (await owner.send(channel, "hello"))["message"]["message_id"]

    async def parley(*arguments):
        status, output, errors = await ctx.run(
            ctx.parley, *arguments, environment={
                "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}",
                "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"})
        return status, output.decode(), errors.decode()
    status, output, errors = await parley("message", "translate", channel, str(number), "es", "de")
    assert status == 0 and "es:hello" in output and "de:hello" in output, (output, errors)
    status, output, _ = await parley("translation", "languages")
    assert status == 0 and output.split() == ["de", "en", "es", "fr"], output
    status, output, _ = await parley("translation", "test", "The house", "es")
    assert status == 0 and "es: es:The house" in output, output
    status, output, errors = await parley("translation", "test", "The house", "xx")
    assert status != 0 and "lacks" in errors, (output, errors)
    status, output, _ = await parley(
        "message", "send", channel, "noon", "--user", owner.user_id, "--translate", "fr", "--json")
    assert status == 0 and json.loads(output)["translations"] == {"fr": "fr:noon"}, output


@in_browser
async def test_the_page_reads_in_a_language(ctx, page):
    """A reader's language translates news; the original is a button away, and the choice is kept."""
    service = await ScriptedTranslator.start()
    try:
        server = await started(ctx, service, "--auth-mode", "open")
        channel, owner = await ctx.room(server, 0)
        await owner.send(channel, "before")
        await enter(page, server, channel)
        words = "[...document.querySelectorAll('#timeline .said')].map((s) => s.textContent)"
        await page.until(f"{words}.length === 1")
        choose = """(() => { const s = document.getElementById('language'); s.value = 'es';
          s.dispatchEvent(new Event('change')); })()"""
        await page.run(choose)
        press = "document.querySelector('#timeline li:last-child .actions button').click()"
        await page.run(press)
        await page.until(f"{words}[0] === 'es:before'")
        await owner.send(channel, "<b>news</b>")
        await page.until(f"{words}[1] === 'es:<b>news</b>'")
        await page.run(press)
        await page.until(f"{words}[1] === '<b>news</b>'")
        await page.run(press)
        await page.until(f"{words}[1] === 'es:<b>news</b>'")
        await enter(page, server, channel)
        await page.until(f"{words}[0] === 'es:before' && {words}[1] === 'es:<b>news</b>'")
    finally:
        await service.stop()
