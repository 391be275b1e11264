"""parley-react.js and parley-vue.js in Chromium, with React and Vue as their packages ship them."""

import importlib.util
import os

from examples import blocks
from groupmessages import FREE
from harness import Skipped
from parleyjs import FLAGS, elsewhere, in_browser, show
from schemas import source

REACT = "/usr/share/nodejs"
MODULES = ["parley.js", "parley-store.js", "parley-views.js", "parley-react.js", "parley-vue.js"]

# The same application twice: a channel, its messages and the user's groups. Its state is in `globalThis.shown`.
REACT_APP = """
  import { createHooks } from "/parley-react.js";
  const { createElement: h, useState, StrictMode } = React;
  const { useConnection, useChannel, useMessages, useGroups, useGroup, useTyping } = createHooks(React);
  function Messages({ channel }) {
    const { messages, pending, hasEarlier, store, error } = useMessages(channel, { pageSize: 5 });
    Object.assign(shown, { store, hasEarlier, pending: pending.length, failure: error });
    return h("ul", { id: "messages" }, messages.map((one) => h("li", { key: one.message_id }, one.message)));
  }
  function Room({ url }) {
    const { channel, error } = useChannel(parley, url, { create: true });
    Object.assign(shown, { channel, error });
    return h("section", null, h("h1", null, channel ? url : "entering"), h(Messages, { channel }));
  }
  function Trip({ url }) {
    const { group, info } = useGroup(parley, url);
    const { userIds, typing } = useTyping(group);
    shown.typing = typing;
    return h("h2", { id: "trip" }, `${info?.name} ${userIds.join()}`);
  }
  function App() {
    const { state } = useConnection(parley);
    const { items, isLoading, hasMore } = useGroups(parley);
    const [url, setURL] = useState("lobby");
    Object.assign(shown, { setURL, isLoading, hasMore });
    return h("main", null, h("p", { id: "state" }, state), url && h(Room, { url }), h("ol", { id: "groups" },
      items.map((one) => h("li", { key: one.url }, `${one.info.name} ${one.unread}`))),
      items[0] && h(Trip, { url: items[0].url }));
  }
  const root = ReactDOM.createRoot(document.getElementById("app"));
  root.render(h(StrictMode, null, h(App)));
  shown.end = () => root.unmount();
"""
VUE_APP = """
  import { createComposables } from "/parley-vue.js";
  const { h, ref, defineComponent, createApp } = Vue;
  const { useConnection, useChannel, useMessages, useGroups, useGroup, useTyping } = createComposables(Vue);
  const Messages = defineComponent({ props: ["channel"], setup(props) {
    const state = useMessages(() => props.channel, { pageSize: 5 });
    return () => {
      const { messages, pending, hasEarlier, store, error } = state.value;
      Object.assign(shown, { store, hasEarlier, pending: pending.length, failure: error });
      return h("ul", { id: "messages" }, messages.map((one) => h("li", { key: one.message_id }, one.message)));
    };
  } });
  const Trip = defineComponent({ props: ["url"], setup(props) {
    const group = useGroup(parley, () => props.url);
    const state = useTyping(() => group.value.group);
    return () => {
      shown.typing = state.value.typing;
      return h("h2", { id: "trip" }, `${group.value.info?.name} ${state.value.userIds.join()}`);
    };
  } });
  const Room = defineComponent({ props: ["url"], setup(props) {
    const state = useChannel(parley, () => props.url, { create: true });
    return () => {
      const { channel, error } = state.value;
      Object.assign(shown, { channel, error });
      return h("section", null, [h("h1", null, channel ? props.url : "entering"), h(Messages, { channel })]);
    };
  } });
  const App = defineComponent({ setup() {
    const connection = useConnection(parley);
    const groups = useGroups(parley);
    const url = ref("lobby");
    return () => {
      const { items, isLoading, hasMore } = groups.value;
      Object.assign(shown, { setURL: (value) => { url.value = value; }, isLoading, hasMore });
      return h("main", null, [
        h("p", { id: "state" }, connection.value.state), url.value && h(Room, { url: url.value }),
        h("ol", { id: "groups" }, items.map((one) => h("li", { key: one.url }, `${one.info.name} ${one.unread}`))),
        items[0] && h(Trip, { url: items[0].url })]);
    };
  } });
  const app = createApp(App);
  app.mount("#app");
  shown.end = () => app.unmount();
"""


def react():
    """React in the form that reports wrong hooks, of Debian's packages node-react and node-react-dom."""
    paths = [f"{REACT}/{name}/umd/{name}.development.js" for name in ("react", "react-dom")]
    if not all(map(os.path.exists, paths)):
        raise Skipped("React is not installed: node-react, node-react-dom")
    return paths


def vue():
    """Vue 3, which the Python package trame-client has for its own pages."""
    found = importlib.util.find_spec("trame_client")
    path = found and os.path.join(os.path.dirname(found.origin), "module", "vue3-www", "vue.global.js")
    if not path or not os.path.exists(path):
        raise Skipped("Vue is not installed: the Python package trame-client")
    return [path]


async def publish(site, server, libraries, script):
    for name in MODULES:
        site.answer(f"/{name}", "200 OK", {"Content-Type": "text/javascript"}, source(name))
    tags = ""
    for path in libraries:
        name = os.path.basename(path)
        with open(path, "rb") as file:
            site.answer(f"/{name}", "200 OK", {"Content-Type": "text/javascript"}, file.read())
        tags += f'<script src="/{name}"></script>'
    site.add_html("/", f"""<!doctype html><title>An application</title><div id="app"></div>{tags}
      <script>
        globalThis.complaints = [];
        console.error = (...words) => complaints.push(words.join(" "));
      </script>
      <script type="module">
        import {{ Parley }} from "/parley.js";
        globalThis.shown = {{}};
        globalThis.parley = new Parley("http://127.0.0.1:{server.port}", {{ userId: "ada" }});
        globalThis.texts = (id) => [...document.querySelectorAll(`#${{id}} li`)].map((one) => one.textContent);
        globalThis.text = (id) => document.getElementById(id)?.textContent;
        {script}
        globalThis.isReady = true;
      </script>""")


async def play(ctx, page, site, libraries, script):
    """The application shows what happens, and leaves nothing behind."""
    server = await elsewhere(ctx, site, *FLAGS, *FREE)
    ben = await ctx.user(server, "ben")
    await ben.call("channel.create", channel_url="lobby")
    await ben.enter("lobby")
    for number in range(8):
        await ben.send("lobby", f"old {number}")
    await publish(site, server, libraries, script)
    await show(page, site)
    # The latest page of a channel, and what comes after it.
    await page.until("text('state') === 'open' && texts('messages').length === 5")
    assert await page.run("[texts('messages')[0], shown.hasEarlier]") == ["old 3", True]
    sent = (await ben.send("lobby", "news"))["message"]
    await page.until("texts('messages').at(-1) === 'news'")
    await ben.call("message.update", channel_url="lobby", message_id=sent["message_id"], message="edited")
    await page.until("texts('messages').at(-1) === 'edited'")
    await page.run("shown.store.loadEarlier().then(() => true)")
    await page.until("texts('messages').length === 9 && !shown.hasEarlier")
    await ben.call("message.delete", channel_url="lobby", message_id=sent["message_id"])
    await page.until("texts('messages').at(-1) === 'old 7'")
    await page.run("shown.channel.send('own').then(() => true)")
    await page.until("texts('messages').at(-1) === 'own' && shown.pending === 0")
    # Another channel in the same place: the first one is left.
    await page.run("void shown.setURL('other')")
    await page.until("text('app').startsWith('openother') && texts('messages').length === 0")
    await page.until("parley.channels.map(({ url }) => url).join() === 'other'")
    # Groups come, move and go.
    made = (await ben.call("group.create", user_ids=["ada"], name="Trip"))["channel"]["channel_url"]
    await page.until("texts('groups').join() === 'Trip 0'")
    await ben.call("group.create", user_ids=["ada"], name="Work")
    await page.until("texts('groups').join() === 'Work 0,Trip 0'")
    await ben.call("message.send", channel_url=made, message="hello")
    await page.until("texts('groups').join() === 'Trip 1,Work 0'")
    await ben.call("group.typing", channel_url=made, is_typing=True)
    await page.until("text('trip') === 'Trip ben'")
    await page.run("void shown.typing()")
    await ben.event("group.typing", channel_url=made, user_ids=["ada"])
    await ben.call("group.update", channel_url=made, name="Journey")
    await page.until("texts('groups').join() === 'Journey 1,Work 0'")
    await ben.call("group.delete", channel_url=made)
    await page.until("texts('groups').join() === 'Work 0'")
    # A refusal is shown; the end of the application exits.
    await page.run("void shown.setURL('no url!')")
    await page.until("shown.error?.code > 0")
    await page.run("void shown.setURL('lobby')")
    await page.until("texts('messages').length >= 5")
    await page.run("void shown.end()")
    await page.until("parley.channels.length === 0")
    assert await page.run("complaints") == []


async def documented(ctx, page, site, libraries, mark):
    """The example of Browser.md with this mark, with the modules that the gateway serves."""
    server = await elsewhere(ctx, site, *FLAGS)
    ben = await ctx.user(server, "ben")
    await ben.call("channel.create", channel_url="lobby")
    await ben.enter("lobby")
    await ben.send("lobby", "first")
    [block] = [block for block in blocks("html") if mark in block.text]
    example = block.text.replace("https://chat.example", f"http://127.0.0.1:{server.port}")
    tags = ""
    for number, path in enumerate(libraries):
        with open(path, "rb") as file:
            site.answer(f"/{number}.js", "200 OK", {"Content-Type": "text/javascript"}, file.read())
        tags += f'<script src="/{number}.js"></script>'
    body = example if 'id="app"' in example else f'<div id="app"></div>{example}'
    site.add_html("/", f"<!doctype html><title>An example</title>{tags}{body}")
    await page.open(site.url("/"))
    await page.until("document.body.innerText.includes('first')")
    await ben.send("lobby", "second")
    await page.until("document.body.innerText.includes('second')")
    return ben


@in_browser
async def test_the_documented_react_page(ctx, page, site):
    """The page with React in the documentation shows messages and sends one."""
    await documented(ctx, page, site, react(), "createHooks(React)")
    await page.run("[...document.querySelectorAll('button')].at(-1).click()")
    await page.until("document.body.innerText.includes('hello')")


@in_browser
async def test_the_documented_vue_page(ctx, page, site):
    """The page with Vue in the documentation shows messages."""
    await documented(ctx, page, site, vue(), "createComposables(Vue)")


@in_browser
async def test_react(ctx, page, site):
    """The hooks of parley-react.js in an application with React, whose checks are on."""
    await play(ctx, page, site, react(), REACT_APP)


@in_browser
async def test_vue(ctx, page, site):
    """The composables of parley-vue.js in an application with Vue."""
    await play(ctx, page, site, vue(), VUE_APP)
