// One script for the gateway and its mock: prints everything that two clients are sent, as JSON.
// `node mockscript.mjs URL` or `node mockscript.mjs mock`.
import { Parley } from "./parley.js";
import { MockGateway } from "./parley-mock.js";

const [, , place] = process.argv;
const mock = place === "mock" ? new MockGateway() : null;
const url = mock ? "http://mock.example" : place;
const seen = [];

const start = (userId) => new Parley(url, {
  userId, nickname: `${userId}!`, ...(mock && { WebSocket: mock.WebSocket }),
  log: (direction, frame, method) => { if (direction === "received") seen.push({ userId, method, frame }); },
});
const until = async (condition) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const heard = (userId, method) => seen.filter((one) => one.userId === userId && one.frame.method === method).length;
/** Refusals belong to the script. */
const attempt = (promise) => promise.catch(() => {});

const ada = start("ada");
await until(() => heard("ada", "group.ready"));
const ben = start("ben");
await until(() => heard("ben", "group.ready"));

// An open channel
const a = await ada.enter("lobby", { create: { name: "Lobby", data: "d", custom_type: "t" } });
const b = await ben.enter("lobby");
await attempt(ada.call("channel.create", { channel_url: "lobby" }));
await attempt(ada.call("channel.enter", { channel_url: "nowhere" }));
await attempt(ada.call("channel.get", { channel_url: "lobby" }));
await attempt(ada.call("channel.list"));
await attempt(ada.call("channel.participants", { channel_url: "lobby" }));
const first = await a.send({ message: "hello", data: "{}", custom_type: "greeting", mentioned_user_ids: ["ben"] });
await b.send("hi");
await until(() => heard("ben", "message.received") === 1 && heard("ada", "message.received") === 1);
await attempt(a.send({ message: "" }));
await a.call("message.update", { message_id: first.message_id, message: "hello again" });
await until(() => heard("ben", "message.updated") === 1);
await attempt(b.call("message.update", { message_id: first.message_id, message: "not mine" }));
await attempt(b.call("message.delete", { message_id: first.message_id }));
await a.list({ prev_limit: 10 });
await a.list({ message_id: first.message_id, include: false, prev_limit: 0, next_limit: 10 });
await a.call("message.get", { message_id: first.message_id });
await a.changes({ since: first.created_at - 1000 });
await a.call("message.delete", { message_id: first.message_id });
await until(() => heard("ben", "message.deleted") === 1);
await attempt(a.call("message.get", { message_id: first.message_id }));
await attempt(ada.call("user.get", { user_id: "ben" }));
await attempt(ada.call("user.get", { user_id: "nobody" }));
await attempt(ada.call("no.method"));
await attempt(ada.call("message.send", { message: "where?" }));
await ada.call("session.ping");
await ada.background(true);
await b.exit();
await until(() => heard("ada", "channel.user_exited") === 1);
await attempt(ben.call("message.send", { channel_url: "lobby", message: "outside" }));

// A group
const made = new Promise((resolve) => ben.on("group.joined", ({ channel_url: channel }) => resolve(channel)));
const group = await ada.groups.create({ user_ids: ["ben"], name: "Trip" });
const other = await ben.groups.get(await made);
await ada.groups.list();
await ada.groups.unread();
await group.members();
await group.send("in the group");
await until(() => heard("ben", "message.received") === 2);
group.typing();
await until(() => heard("ben", "group.typing") >= 1);
await other.markRead();
await until(() => heard("ada", "group.read") === 1);
const answer = await other.send("an answer");
await until(() => heard("ada", "message.received") === 2);
await group.markUnread(answer);
await group.receipts();
await attempt(ada.groups.get("nowhere"));
await group.update({ name: "Journey" });
await until(() => heard("ben", "channel.changed") === 1);
await other.leave();
await until(() => heard("ada", "group.left") === 1);
await attempt(other.call("message.send", { channel_url: group.url, message: "gone" }));
await group.delete();

ada.close();
ben.close();
// Pings come at any time.
console.log(JSON.stringify(seen.filter(({ method }) => !/session.ping|group.totals/.test(method))));
process.exit();
