// @ts-self-types="./parley-mock.d.ts"
/**
 * A gateway in memory for tests of applications that use parley.js: open channels, groups and messages.
 *
 * Imports nothing. Its answers and events have the shapes of the real ones. What it has is described in
 * parley-mock.d.ts, use in Browser.md.
 */

/** Events that are kept for recovery, in each channel. */
const RECORD_LIMIT = 300;
const LARGEST_PAGE = 200;

const Code = { wrong: 400111, missing: 400201, exists: 400202, forbidden: 400108, empty: 400105, badToken: 400302, outside: 900020 };

/** A refusal, as the answer has it. */
class Refusal extends Error {
  constructor(code, message, field) {
    super(message);
    this.code = code;
    this.data = field ? { field } : {};
  }
}

const missing = (kind, id, field) => new Refusal(Code.missing, `there is no ${kind} ${JSON.stringify(id)}`, field);
const reference = ({ user_id, nickname, profile_url }) => ({ user_id, nickname, profile_url });
const number = (text) => Number(text) || 0;
/** Copies a value: frames must not change later. */
const copy = (value) => JSON.parse(JSON.stringify(value));

/** A channel of either kind with its messages and events. */
class MockChannel {
  messages = [];
  /** The numbered events, from the first one on. */
  events = [];
  /** Changes of messages, for `message.changes`. */
  changes = [];
  /** The sessions in an open channel, in the order of entering. */
  sessions = new Set();
  /** The members of a group by user id. */
  members = new Map();
  reads = new Map();
  seq = 0;
  ordinal = 0;
  freeze = false;

  constructor(url, isGroup, creator, at, params) {
    const { name = "", cover_url = "", data = "", custom_type = "", is_ephemeral = false, is_public = false } = params;
    Object.assign(this, { url, isGroup, creator, at, is_ephemeral, is_public, fields: { name, cover_url, data, custom_type } });
    this.operators = new Set(params.operator_ids ?? [creator.user_id]);
    this.epoch = `epoch-${url}`;
  }

  get participants() { return [...new Set([...this.sessions].map(({ user }) => user))]; }

  describe(users) {
    const count = this.members.size;
    return {
      channel_url: this.url, ...this.fields, is_ephemeral: this.is_ephemeral, freeze: this.freeze,
      ...(this.isGroup ? {
        channel_type: "group_channels", is_distinct: false, is_public: this.is_public, is_super: false,
        is_access_code_required: false, member_count: count, joined_member_count: count,
        created_by: reference(this.creator),
      } : { participant_count: this.participants.length }),
      max_length_message: 5000, operators: [...this.operators].map((id) => reference(users.get(id))), created_at: this.at,
    };
  }

  /** A user's own part in a group. */
  my(userId) {
    const { inviter, at } = this.members.get(userId);
    const { ordinal, at: readAt } = this.reads.get(userId) ?? { ordinal: 0, at: 0 };
    const unread = this.messages.filter((message) => message.ordinal > ordinal && message.user.user_id !== userId);
    const isMention = ({ mention_type: type, mentioned_users: users }) =>
      type === "channel" || users.some(({ user_id: id }) => id === userId);
    return {
      state: "joined", role: this.operators.has(userId) ? "operator" : "none", inviter: inviter && reference(inviter),
      invited_at: inviter ? at : 0, joined_at: at, last_ordinal: this.ordinal, unread_message_count: unread.length,
      unread_mention_count: unread.filter(isMention).length, read_ordinal: ordinal, read_at: readAt, visible_from: 0,
      hidden_state: "unhidden", is_muted: false, muted_until: 0, count_preference: "all", push_trigger_option: "default",
    };
  }

  member(userId, isOnline, isOwn) {
    const { user, inviter, at } = this.members.get(userId);
    return {
      ...reference(user), state: "joined", role: this.operators.has(userId) ? "operator" : "none", is_muted: false,
      is_online: isOnline, last_seen_at: 0, joined_at: at, invited_at: inviter ? at : 0,
      read_at: this.reads.get(userId)?.at ?? 0, ...(isOwn && { is_blocked_by_me: false }),
    };
  }

  /** Numbers an event, and keeps it. */
  note(method, params) {
    const event = { method, params: { channel_url: this.url, seq: ++this.seq, ...params } };
    this.events.push(copy(event));
    return event;
  }

  /** The events after a position, or null if they are not all kept. */
  since({ epoch, seq }) {
    const isKnown = epoch === this.epoch && seq <= this.seq && this.seq - seq <= RECORD_LIMIT;
    return isKnown ? this.events.slice(seq).map(copy) : null;
  }

  find(id) {
    const message = this.messages.find(({ message_id: known }) => known === id);
    if (!message) throw new Refusal(Code.missing, `there is no message ${id}`, "message_id");
    return message;
  }
}

/** A session of a user: over a socket, or without one for `call`. */
class MockSession {
  user = null;

  constructor(socket) { this.socket = socket; }

  send(frame) { this.socket?.deliver(frame); }
}

export class MockGateway {
  now;
  calls = [];
  users = new Map();
  #channels = new Map();
  #sessions = new Set();
  #sockets = new Set();
  /** Of users without a client, by user id. */
  #absent = new Map();
  #refusals = [];
  #holds = new Map();
  #tokens;
  #isOffline = false;
  #lastID = 0;

  constructor({ now = 1_750_000_000_000, tokens = null } = {}) {
    this.now = now;
    this.#tokens = tokens;
    const gateway = this;
    this.WebSocket = class extends MockSocket {
      constructor(url) { super(gateway, url); }
    };
  }

  // Control

  advance(ms) { this.now += ms; }

  call(userId, method, params = {}) {
    let session = this.#absent.get(userId);
    if (!session) {
      session = new MockSession(null);
      session.user = this.#user(userId, {});
      this.#absent.set(userId, session);
    }
    return copy(this.#perform(session, method, copy(params)));
  }

  refuse(method, { code, message = "refused by the test", data = {} }, times = 1) {
    this.#refusals.push({ method, times, error: { code, message, data } });
  }

  hold(method) {
    if (!this.#holds.has(method)) this.#holds.set(method, []);
    return () => {
      const waiting = this.#holds.get(method) ?? [];
      this.#holds.delete(method);
      for (const carryOut of waiting) carryOut();
    };
  }

  cut({ userId, code = 1006, reason = "" } = {}) {
    for (const socket of [...this.#sockets]) {
      if (userId === undefined || socket.session.user?.user_id === userId) socket.end(code, reason);
    }
  }

  get isOffline() { return this.#isOffline; }
  set isOffline(isOffline) {
    this.#isOffline = isOffline;
    if (isOffline) this.cut();
  }

  /** Loses the events of a channel, as after the end of its server: clients cannot recover them. */
  forget(url) {
    const channel = this.#channel(url);
    channel.epoch += "'";
    channel.events = [];
    channel.seq = 0;
  }

  // Sockets

  /** For `MockSocket`. */
  connected(socket) { this.#sockets.add(socket); }

  disconnected(socket) {
    this.#sockets.delete(socket);
    this.#sessions.delete(socket.session);
    if (!socket.session.user) return;
    for (const channel of this.#channels.values()) {
      if (channel.sessions.has(socket.session)) this.#exit(socket.session, channel);
    }
  }

  receive(socket, text) {
    const { id, method, params = {} } = JSON.parse(text);
    const carryOut = () => {
      if (socket.readyState === 1) socket.deliver(this.#answer(socket.session, id, method, params));
    };
    if (this.#holds.has(method)) this.#holds.get(method).push(carryOut);
    else carryOut();
  }

  #answer(session, id, method, params) {
    try {
      return { jsonrpc: "2.0", result: this.#perform(session, method, params), id };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { jsonrpc: "2.0", error: { code: error.code, message: error.message, data: error.data }, id };
    }
  }

  #perform(session, method, params) {
    this.calls.push({ userId: session.user?.user_id ?? params.user_id, method, params });
    const refusal = this.#refusals.find((one) => one.method === method && one.times > 0);
    if (refusal) {
      refusal.times--;
      throw Object.assign(new Refusal(refusal.error.code, refusal.error.message), { data: refusal.error.data });
    }
    if (!Object.hasOwn(this.#methods, method)) throw new Refusal(-32601, `there is no method ${JSON.stringify(method)}`, "method");
    return this.#methods[method](params, session);
  }

  #time() { return this.now++; }

  // Users

  #user(id, { nickname, profile_url }) {
    const known = this.users.get(id) ?? { user_id: id, nickname: "", profile_url: "", metadata: {} };
    if (nickname != null) known.nickname = nickname;
    if (profile_url != null) known.profile_url = profile_url;
    this.users.set(id, known);
    return known;
  }

  #isOnline(id) { return [...this.#sessions].some(({ user }) => user.user_id === id); }

  #open(params, session) {
    const { user_id: id, access_token: token } = params;
    if (this.#tokens && this.#tokens[id] !== token) throw new Refusal(Code.badToken, "the access token is wrong", "access_token");
    session.user = this.#user(id, params);
    this.#sessions.add(session);
    // After the answer.
    queueMicrotask(() => session.send(event("group.ready", { ts: this.#time(), token: this.#token() })));
    const flood = { messages: 0, window_ms: 1000 };
    return {
      session_id: `session-${++this.#lastID}`, user: session.user, server: { name: "parley", version: "mock" },
      limits: {
        message_bytes: 262144, flood, user_flood: flood, custom_type_length: 128, data_bytes: 16384,
        metaarray: { keys: 10, key_length: 128, values: 100, value_length: 190, bytes: 16384 },
        metadata: { keys: 25, key_length: 128, value_length: 190, user_bytes: 4096 },
      },
      ping_interval_ms: 25000,
      features: {
        files: { max_bytes: 26214400, tus: "1.0.0" },
        groups: { max_members: 100, max_super_members: 10000, receipts: 100, delivery: false, typing: true },
      },
      file_key: { key: "mock", expires_at: this.now + 259_200_000 },
    };
  }

  /** Continues lists of changes from the present time. */
  #token() { return `mock~${this.now}`; }
  #timeOf({ token, since }) { return token ? number(token.split("~")[1]) : number(since); }

  // Channels

  #channel(url, isGroup) {
    const channel = this.#channels.get(url);
    if (!url) throw new Refusal(Code.empty, "'channel_url' is required and may not be empty", "channel_url");
    if (!channel || isGroup !== undefined && channel.isGroup !== isGroup) throw missing("channel", url, "channel_url");
    return channel;
  }

  #group({ channel_url: url }, { user }) {
    const group = this.#channel(url, true);
    if (!group.members.has(user.user_id)) throw missing("channel", url, "channel_url");
    return group;
  }

  /** The channel in which a user may act. */
  #stage(params, session) {
    const channel = this.#channel(params.channel_url);
    if (channel.isGroup) return this.#group(params, session);
    if (!channel.sessions.has(session)) {
      throw new Refusal(Code.outside, `enter the channel ${JSON.stringify(channel.url)} first`, "channel_url");
    }
    return channel;
  }

  #create(url, isGroup, { user }, params) {
    if (this.#channels.has(url)) throw new Refusal(Code.exists, `the channel ${JSON.stringify(url)} exists already`, "channel_url");
    const channel = new MockChannel(url, isGroup, user, this.#time(), params);
    for (const id of channel.operators) if (!this.users.has(id)) throw missing("user", id, "operator_ids");
    this.#channels.set(url, channel);
    return channel;
  }

  #exit(session, channel) {
    channel.sessions.delete(session);
    this.#tell(channel, event("channel.user_exited", {
      channel_url: channel.url, ts: this.#time(), user: reference(session.user),
      participant_count: channel.participants.length }));
  }

  /** The sessions that receive the events of a channel. */
  #audience(channel) {
    if (!channel.isGroup) return [...channel.sessions];
    return [...this.#sessions].filter(({ user }) => channel.members.has(user.user_id));
  }

  #tell(channel, message, caller = null) {
    for (const session of this.#audience(channel)) if (session !== caller) session.send(message);
  }

  /** A numbered event for everybody in a channel, without the caller whose answer says the same. */
  #publish(channel, method, params, caller = null) {
    const { params: numbered } = channel.note(method, params);
    this.#tell(channel, event(method, numbered), caller);
    return numbered.seq;
  }

  #view(group, { user }, withMembers = 0) {
    const members = [...group.members.keys()].slice(0, withMembers);
    return {
      ...group.describe(this.users), last_message: group.messages.at(-1) ?? null, last_ordinal: group.ordinal,
      epoch: group.epoch, seq: group.seq, my: group.my(user.user_id),
      members: members.map((id) => group.member(id, this.#isOnline(id), false)),
    };
  }

  #join(group, user, inviter) {
    group.members.set(user.user_id, { user, inviter, at: group.members.size ? this.#time() : group.at });
    const count = group.members.size;
    return { ts: this.#time(), user: reference(user), member_count: count, joined_member_count: count };
  }

  #leave(group, user, reason) {
    const [gone, there] = [[...this.#sessions].filter((one) => one.user === user), this.#audience(group)];
    group.members.delete(user.user_id);
    const ts = this.#time();
    const { params } = group.note("group.left", {
      ts, user: reference(user), member_count: group.members.size, joined_member_count: group.members.size, reason });
    for (const session of there) session.send(event("group.left", params));
    for (const session of gone) session.send(event("group.lost", { channel_url: group.url, ts, reason }));
  }

  // Messages

  #message(params, session) {
    const channel = this.#stage(params, session);
    const { message = "", data = "", custom_type = "", mention_type = "users", mentioned_user_ids: ids, req_id = "" } = params;
    if (message === "") throw new Refusal(Code.empty, "'message' is required and may not be empty", "message");
    const known = req_id && channel.messages.find((one) => one.req_id === req_id && one.user.user_id === session.user.user_id);
    if (known) return { message: known, seq: known.seq };
    const at = this.#time();
    const made = {
      type: "MESG", message_id: ++this.#lastID, channel_url: channel.url,
      channel_type: channel.isGroup ? "group_channels" : "open_channels", user: reference(session.user),
      message, data, custom_type, mention_type, mentioned_users: this.#mentioned(ids), sorted_metaarray: [], og_tag: null,
      translations: {}, file: null, req_id, created_at: at, updated_at: 0,
      ...(channel.isGroup && { ordinal: ++channel.ordinal, silent: false }),
    };
    channel.messages.push(made);
    if (channel.isGroup) channel.reads.set(session.user.user_id, { ordinal: made.ordinal, at });
    const seq = this.#publish(channel, "message.received", { ts: at, message: made }, session);
    // Only a repeated call asks for it.
    Object.defineProperty(made, "seq", { value: seq });
    return { message: made, seq };
  }

  #mentioned(ids) {
    return (ids ?? []).filter((id) => this.users.has(id)).map((id) => reference(this.users.get(id)));
  }

  #own({ channel_url: url, message_id: id }, session) {
    const channel = this.#stage({ channel_url: url }, session);
    const message = channel.find(id);
    if (message.user.user_id !== session.user.user_id && !channel.operators.has(session.user.user_id)) {
      throw new Refusal(Code.forbidden, "only its author and operators may change a message");
    }
    return { channel, message };
  }

  #update(params, session) {
    const { channel, message } = this.#own(params, session);
    for (const name of ["message", "data", "custom_type", "mention_type"]) if (params[name] != null) message[name] = params[name];
    if (params.mentioned_user_ids) message.mentioned_users = this.#mentioned(params.mentioned_user_ids);
    const ts = message.updated_at = this.#time();
    channel.changes.push({ ts, id: message.message_id });
    this.#publish(channel, "message.updated", { ts, message }, session);
    return { message };
  }

  #delete(params, session) {
    const { channel, message } = this.#own(params, session);
    channel.messages = channel.messages.filter((one) => one !== message);
    const ts = this.#time();
    channel.changes.push({ ts, id: message.message_id });
    this.#publish(channel, "message.deleted", {
      ts, message_id: message.message_id,
      ...(channel.isGroup && { ordinal: message.ordinal, sender_id: message.user.user_id }) });
    return {};
  }

  #list(params, session) {
    const { messages } = this.#stage(params, session);
    const { message_id: id, message_ts: at, include = true, reverse = false, prev_limit, next_limit } = params;
    const [before, after] = [number(prev_limit ?? 15), number(next_limit ?? 15)].map((limit) => Math.min(limit, LARGEST_PAGE));
    const place = id ? (one) => one.message_id - id : (one) => one.created_at - (at ?? this.now);
    const earlier = messages.filter((one) => place(one) < 0);
    const later = messages.filter((one) => place(one) > 0);
    const page = [
      ...earlier.slice(Math.max(0, earlier.length - before)), ...(include ? messages.filter((one) => place(one) === 0) : []),
      ...later.slice(0, after)];
    const [has_previous, has_next] = [earlier.length > before, later.length > after];
    const end = (message) => message?.message_id ?? id ?? 0;
    return {
      messages: reverse ? [...page].reverse() : page, has_previous, has_next,
      previous_from: has_previous ? end(page[0]) : 0, next_from: has_next ? end(page.at(-1)) : 0,
    };
  }

  #changed(params, session) {
    const channel = this.#stage(params, session);
    const from = this.#timeOf(params);
    const ids = [...new Set(channel.changes.filter(({ ts }) => ts >= from).map(({ id }) => id))];
    const updated = channel.messages.filter(({ message_id: id }) => ids.includes(id));
    return {
      updated, deleted_ids: ids.filter((id) => !updated.some((one) => one.message_id === id)), has_more: false,
      token: this.#token(),
    };
  }

  /** Marks a group as read up to a message, all by default. */
  #mark(group, { user }, message) {
    const { ordinal = 0, created_at: at = 0, message_id } = message ?? {};
    group.reads.set(user.user_id, { ordinal, at });
    const read = event("group.read", {
      channel_url: group.url, ts: this.#time(), reads: [{ user_id: user.user_id, read_at: at, message_id }] });
    // After the answer: a gateway gathers reads.
    if (message) queueMicrotask(() => this.#tell(group, read));
    return { my: group.my(user.user_id) };
  }

  #unread(session) {
    const mine = this.#groupsOf(session).map((group) => group.my(session.user.user_id));
    const sum = (name) => mine.reduce((total, my) => total + my[name], 0);
    return {
      unread_message_count: sum("unread_message_count"), unread_mention_count: sum("unread_mention_count"),
      unread_channel_count: mine.filter((my) => my.unread_message_count > 0).length, invitation_count: 0,
    };
  }

  #groupsOf({ user }) {
    const latest = (group) => group.messages.at(-1)?.created_at ?? group.at;
    return [...this.#channels.values()].filter((group) => group.isGroup && group.members.has(user.user_id))
      .sort((a, b) => latest(b) - latest(a));
  }

  #methods = {
    "session.open": (params, session) => this.#open(params, session),
    "session.ping": () => ({}),
    "session.background": () => ({}),
    "user.get": ({ user_id: id }) => {
      if (!this.users.has(id)) throw missing("user", id, "user_id");
      return { user: this.users.get(id) };
    },
    "user.update": (params, { user }) => ({ user: this.#user(user.user_id, params) }),
    "channel.create": ({ channel_url: url, ...params }, session) => ({
      channel: this.#create(url ?? `channel-${++this.#lastID}`, false, session, params).describe(this.users) }),
    "channel.get": ({ channel_url: url }) => ({ channel: this.#channel(url, false).describe(this.users) }),
    "channel.list": () => ({
      channels: [...this.#channels.values()].filter(({ isGroup }) => !isGroup).reverse().map((one) => one.describe(this.users)),
      next: "" }),
    "channel.participants": ({ channel_url: url }) => ({
      participants: this.#channel(url, false).participants.map(reference), next: "" }),
    "channel.enter": ({ channel_url: url, recover }, session) => {
      const channel = this.#channel(url, false);
      const isNew = !channel.sessions.has(session);
      channel.sessions.add(session);
      const count = channel.participants.length;
      if (isNew) {
        this.#tell(channel, event("channel.user_entered", {
          channel_url: url, ts: this.#time(), user: reference(session.user), participant_count: count }), session);
      }
      const events = recover ? channel.since(recover) : null;
      return {
        channel: channel.describe(this.users), participant_count: count, epoch: channel.epoch, seq: channel.seq,
        recovered: events !== null, events: events ?? [],
      };
    },
    "channel.exit": ({ channel_url: url }, session) => {
      const channel = this.#channel(url, false);
      if (channel.sessions.has(session)) this.#exit(session, channel);
      return {};
    },
    "message.send": (params, session) => this.#message(params, session),
    "message.update": (params, session) => this.#update(params, session),
    "message.delete": (params, session) => this.#delete(params, session),
    "message.get": (params, session) => ({ message: this.#stage(params, session).find(params.message_id) }),
    "message.list": (params, session) => this.#list(params, session),
    "message.changes": (params, session) => this.#changed(params, session),
    "group.create": ({ channel_url: url, user_ids: ids = [], ...params }, session) => {
      const unknown = ids.find((id) => !this.users.has(id));
      if (unknown !== undefined) throw missing("user", unknown, "user_ids");
      const group = this.#create(url ?? `group-${++this.#lastID}`, true, session, params);
      this.#join(group, session.user, null);
      const others = new Set(ids.filter((id) => id !== session.user.user_id));
      const joins = [...others].map((id) => this.#join(group, this.users.get(id), session.user));
      for (const join of joins) this.#publish(group, "group.joined", join);
      return { channel: this.#view(group, session, params.members_limit ?? 20), created: true };
    },
    "group.get": (params, session) => ({ channel: this.#view(this.#group(params, session), session, params.members_limit ?? 20) }),
    "group.list": (params, session) => ({
      channels: this.#groupsOf(session).map((group) => this.#view(group, session, params.members_limit ?? 20)), next: "" }),
    "group.unread": (_, session) => this.#unread(session),
    "group.members": (params, session) => {
      const group = this.#group(params, session);
      return { members: [...group.members.keys()].map((id) => group.member(id, this.#isOnline(id), true)), next: "" };
    },
    "group.invite": (params, session) => {
      const group = this.#group(params, session);
      const [skipped, joined] = [[], []];
      for (const id of params.user_ids) {
        if (!this.users.has(id)) throw missing("user", id, "user_ids");
        (group.members.has(id) ? skipped : joined).push(id);
      }
      for (const id of joined) this.#publish(group, "group.joined", this.#join(group, this.users.get(id), session.user));
      return { channel: this.#view(group, session, 20), invited: [], joined, skipped };
    },
    "group.leave": (params, session) => {
      this.#leave(this.#group(params, session), session.user, "left");
      return {};
    },
    "group.update": ({ channel_url: url, ...fields }, session) => {
      const group = this.#group({ channel_url: url }, session);
      if (!group.operators.has(session.user.user_id)) throw new Refusal(Code.forbidden, "only operators may change a group");
      for (const name of Object.keys(group.fields)) if (fields[name] != null) group.fields[name] = fields[name];
      this.#publish(group, "channel.changed", { ts: this.#time(), channel: group.describe(this.users) });
      return { channel: this.#view(group, session, 20) };
    },
    "group.delete": (params, session) => {
      const group = this.#group(params, session);
      if (!group.operators.has(session.user.user_id)) throw new Refusal(Code.forbidden, "only operators may delete a group");
      const ts = this.#time();
      this.#publish(group, "channel.deleted", { ts, channel: group.describe(this.users) });
      this.#tell(group, event("group.lost", { channel_url: group.url, ts, reason: "deleted" }));
      this.#channels.delete(group.url);
      return {};
    },
    "group.mark_read": (params, session) => {
      const group = this.#group(params, session);
      return this.#mark(group, session, params.message_id ? group.find(params.message_id) : group.messages.at(-1));
    },
    "group.mark_unread": (params, session) => {
      const group = this.#group(params, session);
      const { ordinal } = group.find(params.message_id);
      const last = group.messages.findLast((message) => message.ordinal < ordinal);
      group.reads.set(session.user.user_id, { ordinal: ordinal - 1, at: last?.created_at ?? 0 });
      return { my: group.my(session.user.user_id) };
    },
    "group.mark_delivered": () => ({}),
    "group.receipts": (params, session) => {
      const group = this.#group(params, session);
      return { read: Object.fromEntries([...group.members.keys()].map((id) => [id, group.reads.get(id)?.at ?? 0])), delivered: {} };
    },
    "group.typing": (params, session) => {
      const group = this.#group(params, session);
      for (const other of this.#audience(group)) {
        if (other.user === session.user) continue;
        const user_ids = params.is_typing === false ? [] : [session.user.user_id];
        other.send(event("group.typing", { channel_url: group.url, ts: this.#time(), user_ids, more: false }));
      }
      return {};
    },
    "group.changes": (params, session) => ({
      updated: this.#groupsOf(session).map((group) => this.#view(group, session)), deleted: [], has_more: false,
      token: this.#token() }),
    "group.recover": ({ channels }, session) => ({
      results: channels.map((position) => {
        const group = this.#group(position, session);
        const events = group.since(position);
        return {
          channel_url: group.url, recovered: events !== null, epoch: group.epoch, seq: group.seq, events: events ?? [] };
      }) }),
  };
}

const event = (method, params) => ({ jsonrpc: "2.0", method, params });

/** A WebSocket without a network: what is sent arrives in order, a little later. */
class MockSocket {
  readyState = 0;
  onopen = null;
  onmessage = null;
  onclose = null;
  onerror = null;
  session = new MockSession(this);
  #gateway;
  #last = Promise.resolve();

  constructor(gateway, url) {
    this.#gateway = gateway;
    this.url = url;
    this.#later(() => {
      if (this.readyState !== 0) return;
      if (gateway.isOffline) return this.end(1006, "");
      this.readyState = 1;
      gateway.connected(this);
      this.onopen?.({});
    });
  }

  send(text) { this.#later(() => { if (this.readyState === 1) this.#gateway.receive(this, text); }); }

  close(code = 1000, reason = "") { this.end(code, reason); }

  /** For the gateway: sends a frame to the client. */
  deliver(frame) {
    const data = JSON.stringify(frame);
    this.#later(() => { if (this.readyState === 1) this.onmessage?.({ data }); });
  }

  end(code, reason) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#gateway.disconnected(this);
    this.#later(() => this.onclose?.({ code, reason }));
  }

  #later(action) {
    this.#last = this.#last.then(action).catch((error) => (globalThis.reportError ?? console.error)(error));
  }
}
