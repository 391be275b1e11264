/** Types of parley.js, a client of the Parley gateway for browsers, Node 20 and later, and Deno. */

/** A refusal of the server, or with `code` 0 one of the library. */
export declare class ParleyError extends Error {
  constructor(code: number, message: string, data?: ErrorData & Record<string, unknown>);
  /** A code of the protocol; 0 for the library's own. */
  readonly code: number;
  /**
   * The cause. With `code` 0, `reason` is `lost` (the connection ended before the answer came),
   * `closed`, `left` (not in the channel), `cancelled`, `upload` (`status` has the answer of HTTP),
   * `unsupported` (the server sends no Web Push), `unknown` (a message may have been sent), `timeout` (no answer, session or token in time), `invalid` (a wrong
   * argument), or `failed` (`cause` is an error that is not the library's). `close` is the close code of the
   * connection.
   */
  readonly data: ErrorData & { status?: number; close?: number };
}

/** Options of a client that is a user, or an observer. */
export type ParleyOptions = UserOptions | ObserverOptions;

export interface ObserverOptions extends CommonOptions {
  userId?: undefined;
  /**
   * Fetches a ticket from the Platform API before each connection, in place of a user: an observer
   * enters channels without being seen, and only listens.
   */
  ticket: () => string | Promise<string>;
}

export interface UserOptions extends CommonOptions {
  userId: string;
  ticket?: undefined;
  /**
   * An access token, or a function that fetches one within 15 seconds; it is called again when a token is refused,
   * and once before each token expires.
   */
  token?: string | (() => string | Promise<string>);
  nickname?: string;
  profileUrl?: string;
  /** Keeps messages that were not sent in IndexedDB, so that a reload neither loses nor doubles them. */
  outbox?: "persistent";
  /** Calls `background` when the page is hidden, and when it is visible again. */
  background?: "visibility";
}

interface CommonOptions {
  /** A constructor like the browser's. By default the global one, or that of the package `ws` where it is installed. */
  WebSocket?: new (url: string, protocol: string) => unknown;
  /**
   * `automatic`, the default, uses streams where WebSockets are blocked: after two failed handshakes, or one that takes
   * 5 seconds, and then for an hour. `stream` uses nothing else. Both import `./parley-streams.js`; where that is
   * missing, WebSockets are used. The option `WebSocket` excludes streams.
   */
  transport?: "automatic" | "websocket" | "stream";
  /** Receives each JSON-RPC message; they contain secrets such as tokens and upload addresses. */
  log?: (direction: "sent" | "received", frame: object, method?: string) => void;
}

export type State = "connecting" | "open" | "waiting" | "closed";

export interface StateChange {
  state: State;
  /** When the next attempt to connect is due, in Unix milliseconds. */
  retryAt: number | null;
  error: ParleyError | null;
}

export interface ParleyEvents {
  state: [change: StateChange];
  session: [session: Methods["session.open"]["result"]];
  /** Milliseconds until a ping was answered. */
  latency: [milliseconds: number];
}

/** Parameters, which may be left out if none is required, and options. */
type Arguments<Params> = {} extends Params
  ? [params?: Params, options?: { signal?: AbortSignal }]
  : [params: Params, options?: { signal?: AbortSignal }];

type ServerEvents = { [Name in keyof Events]: [params: Events[Name]] };

/** A session with a gateway that is kept open, with its channels and groups. */
export declare class Parley {
  /**
   * Connects at once; `url` is the gateway's address, by default the page's own origin.
   *
   * Throws a `ParleyError` with the reason `invalid` if an argument is wrong.
   */
  constructor(url: string | URL | undefined, options: ParleyOptions);
  readonly outbox: Outbox;
  readonly state: State;
  readonly retryAt: number | null;
  readonly error: ParleyError | null;
  readonly session: Methods["session.open"]["result"] | null;
  readonly user: User | null;
  readonly userId: string | undefined;
  /** The open channels that were entered. */
  readonly channels: Channel[];
  readonly groups: Groups;
  readonly push: Push;
  /**
   * Connects now, after a final end too; resolves when the session is open. Rejected with the reason `timeout`
   * after a minute; the client continues to try.
   */
  connect(): Promise<Methods["session.open"]["result"]>;
  /**
   * Ends the session until `connect`. Messages that wait fail; those of a persistent outbox stay on
   * disk, and leave `entries`.
   */
  close(): void;
  /**
   * Makes a call of the protocol as soon as the session is open.
   *
   * A call whose answer was lost is repeated if that cannot change anything twice, and else rejected with the reason
   * `lost`. A call that waits for a session, or for its answer, for a minute is rejected with the reason `timeout`.
   */
  call<Name extends keyof Methods>(
    method: Name, ...rest: Arguments<Methods[Name]["params"]>
  ): Promise<Methods[Name]["result"]>;
  /**
   * Blocks a user, which does not learn of it. Rejected with 400201 if there is no such user, and with 400203 beyond
   * 1,000 blocked users.
   */
  block(userId: string): Promise<void>;
  /** Ends the block of a user, if there is one. */
  unblock(userId: string): Promise<void>;
  /** Lists the users whom this one blocks, in the order of their ids; `next` is the `token` of the next page, or empty. */
  blocked(params?: Methods["user.blocked"]["params"]): Promise<Methods["user.blocked"]["result"]>;
  /** The choices of this user that hold in all groups. */
  preferences(): Promise<Methods["user.preferences"]["result"]>;
  /**
   * Changes the given choices, and returns all. `send_read_receipts: false` is rejected with 400111 on a server that
   * does not permit private reads.
   */
  prefer(choices: Methods["user.preferences"]["params"]): Promise<Methods["user.preferences"]["result"]>;
  /**
   * Reports that the application is in the background, or no longer: messages are then pushed to the user's devices as
   * if this session did not exist, which still receives its events. Holds over reconnections; without a session it takes
   * effect with the next one.
   */
  background(on?: boolean): Promise<void>;
  /**
   * Enters a channel, and enters it again after each reconnection until `exit`.
   *
   * `create` makes a missing channel, with these members if it is an object; `recover` is the
   * `position` of an earlier entering. Rejected with the reason `timeout` if there is no session within the first
   * minute; after the first session it waits for the next.
   */
  enter(url: string, options?: {
    create?: boolean | Omit<Methods["channel.create"]["params"], "channel_url">;
    recover?: Position;
  }): Promise<Channel>;
  /**
   * The address of a message's file or thumbnail, with this user's key where it needs one; or "". What the gateway
   * has is at the gateway or its `files.public_url`, whatever host its sender has named.
   */
  fileURL(file: MessageFile, part?: MessageFile | Thumbnail): string;
  /**
   * The same as a request for `fetch`, with the key in the header `Parley-File-Key`: addresses get into the logs of
   * proxies, headers do not. `null` in place of "". Browsers send it from pages of the gateway's own origin only.
   */
  fileRequest(file: MessageFile, part?: MessageFile | Thumbnail): Request | null;
  on<Name extends keyof (ParleyEvents & ServerEvents)>(
    name: Name, listener: (...values: (ParleyEvents & ServerEvents)[Name]) => void): this;
  off<Name extends keyof (ParleyEvents & ServerEvents)>(
    name: Name, listener: (...values: (ParleyEvents & ServerEvents)[Name]) => void): this;
}

/**
 * The groups that the application has asked for. Events of the others, such as `group.invited` and `group.joined`, are
 * events of `Parley`.
 */
export declare class Groups {
  private constructor();
  /** The groups from `get`, `create` and `list` whose membership has not ended. */
  readonly held: Group[];
  /**
   * Returns the group, which receives its events from here on and over reconnections. Waits for the event
   * `group.ready`. Rejected with 400201 if the group is private and the user neither joined nor invited.
   */
  get(url: string): Promise<Group>;
  /** Creates a group, or returns the distinct one that exists. Rejected with the reason `lost` if the answer was lost. */
  create(params?: Omit<Methods["group.create"]["params"], "members_limit">): Promise<Group>;
  /**
   * Lists the user's groups, those with the latest message first; `next` is the `token` of the next page, or empty.
   * They are held from then on, as by `get`. The last page also has the invitations that have moved to an earlier
   * page meanwhile.
   */
  list(
    params?: Omit<NonNullable<Methods["group.list"]["params"]>, "members_limit">,
  ): Promise<{ groups: Group[]; next: string }>;
  /** Adds up what the user has not read in all joined groups that are not hidden. */
  unread(params?: Methods["group.unread"]["params"]): Promise<Methods["group.unread"]["result"]>;
  /**
   * Lists the groups that have changed since a token or a time. The first token is in the event `group.ready`. Changes are
   * kept for 30 days: rejected with 400109 for an older token.
   */
  changes(params: Methods["group.changes"]["params"]): Promise<Methods["group.changes"]["result"]>;
  /**
   * Begins or ends the event `group.totals` of the client: the unread messages over all groups, now and when they change,
   * also after reconnections.
   */
  watchTotals(on?: boolean): Promise<Methods["group.watch_totals"]["result"]>;
}

/** The part of a browser's `ServiceWorkerRegistration` that pushes use. */
interface WorkerRegistration<Subscription> {
  readonly pushManager: {
    getSubscription(): Promise<Subscription | null>;
    subscribe(options: { userVisibleOnly: boolean; applicationServerKey: string }): Promise<Subscription>;
  };
}

/** Pushes to the devices of the user, of which this browser may be one. */
export declare class Push {
  private constructor();
  /** Whether the browser can receive pushes; `false` in Node, and on pages that are neither https nor on localhost. */
  readonly isSupported: boolean;
  /**
   * Subscribes this browser and registers it for the user. Browsers ask the user for the permission: call it after a
   * click, and at each start of the page while `Notification.permission` is `granted`, since subscriptions change.
   *
   * Rejected with the reason `unsupported` if the server sends no Web Push, and with `failed` if the browser refuses;
   * `cause` is its error.
   */
  subscribe<Subscription extends { toJSON(): object }>(
    registration: WorkerRegistration<Subscription>, options?: { unique?: boolean; device_id?: string },
  ): Promise<Subscription>;
  /** Ends the subscription of this browser; of no effect without one. The registration is that of `subscribe` by default. */
  unsubscribe<Subscription extends { endpoint: string }>(registration?: WorkerRegistration<Subscription>): Promise<void>;
  /** Changes the given choices of the user about pushes, and returns all. */
  preferences(change?: Methods["push.preferences"]["params"]): Promise<PushPreferences>;
  /** The devices of the user, those registered first in front. */
  tokens(): Promise<PushToken[]>;
}

/** Counts unread messages for clients that make their own calls: see Browser.md. */
export declare class UnreadCount {
  constructor(userId: string);
  readonly value: number;
  /** The number of unread messages that mention the user. */
  readonly mentions: number;
  /** Takes the numbers of an answer or an event, unless they are older than a message that was counted. */
  set(
    my: Pick<
      OwnMembership,
      "last_ordinal" | "unread_message_count" | "unread_mention_count" | "read_ordinal" | "count_preference"
    >,
  ): void;
  received(message: Pick<Message, "ordinal" | "user" | "mention_type" | "mentioned_users">): void;
  updated(params: Pick<Events["message.updated"], "message" | "former_mentions">): void;
  deleted(params: Events["message.deleted"]): void;
}

/**
 * Reads and writes the `data` of messages as JSON. `Types` has the type of the value by `custom_type`:
 *
 *     const types = messageTypes<{ poll: { question: string } }>();
 *     await lobby.send({ message: "Lunch?", ...types.withData("poll", { question: "Where?" }) });
 *     lobby.on("received", (message) => types.dataOf(message, "poll")?.question);
 */
export declare function messageTypes<Types>(): {
  /**
   * The value in a message of this type; undefined for one of another type, and if `data` is not JSON. Its shape is what
   * the sender has made of it.
   */
  dataOf<Name extends keyof Types & string>(
    message: Pick<Message, "custom_type" | "data">, name: Name): Types[Name] | undefined;
  /** The members of a message that has this value. */
  withData<Name extends keyof Types & string>(name: Name, value: Types[Name]): { custom_type: Name; data: string };
};

/** How far a channel's events were seen. */
export interface Position {
  epoch: string;
  seq: number;
}

type MessageEvent<Name extends keyof Events> = Events[Name] & { own?: true };
/** An event of the kind of channel that the client enters. */
type OpenChannelEvent<Name extends keyof Events> = Events[Name] & { channel: ChannelInfo };

interface SharedEvents {
  updated: [message: Message, params: Events["message.updated"]];
  deleted: [messageId: number, params: Events["message.deleted"]];
  /** Messages were withheld to keep the channel readable; they can be listed. */
  throttled: [params: Events["channel.throttled"]];
  muted: [params: Events["channel.user_muted"]];
  unmuted: [params: Events["channel.user_unmuted"]];
  banned: [params: Events["channel.user_banned"]];
  unbanned: [params: Events["channel.user_unbanned"]];
  operators_changed: [params: Events["channel.operators_changed"]];
}

export interface ChannelEvents extends SharedEvents {
  /** A message was sent; `own` in `params` marks those of this client. Each message comes once. */
  received: [message: Message, params: MessageEvent<"message.received">];
  /** For observers: a message was withheld from `participants` of the channel. */
  withheld: [messageId: number, params: Events["message.withheld"]];
  changed: [params: OpenChannelEvent<"channel.changed">];
  frozen: [params: OpenChannelEvent<"channel.frozen">];
  unfrozen: [params: OpenChannelEvent<"channel.unfrozen">];
  entered: [params: Events["channel.user_entered"]];
  exited: [params: Events["channel.user_exited"]];
  participant_count: [params: Events["channel.participant_count"]];
  /** The client is back in the channel; the missed events were delivered before. */
  recovered: [result: { missed: number }];
  /** The client is back, and events between the two were not delivered: list the messages. */
  lost: [gap: { from: number; to: number; isReset: boolean }];
  /** The client is no longer in the channel; `error` is null after `exit`. */
  left: [result: { error: ParleyError | null }];
}

/** A received message of a group: without `seq` if it was listed after a reconnection. */
type GroupMessageEvent = Omit<MessageEvent<"message.received">, "seq"> & { seq?: number };
/** An event of a group. */
type GroupEvent<Name extends keyof Events> = Events[Name] & { channel: GroupInfo };
type MemberChange = "invited" | "joined" | "declined" | "left" | "member_count";

export interface GroupEvents extends SharedEvents {
  /** A message was sent; `own` in `params` marks those of this client. Each message comes once. */
  received: [message: Message, params: GroupMessageEvent];
  changed: [params: GroupEvent<"channel.changed">];
  frozen: [params: GroupEvent<"channel.frozen">];
  unfrozen: [params: GroupEvent<"channel.unfrozen">];
  /** Members changed; `params` are those of the event `group.invited`, `group.joined` and so on. */
  member: {
    [Change in MemberChange]: [change: Change, params: Events[`group.${Change}`]]
  }[MemberChange];
  /**
   * The group is current after a reconnection; the missed events were delivered before. If it is not complete, earlier
   * messages or members may have changed: list them again.
   */
  recovered: [result: { missed: number; isComplete: boolean }];
  /** The number of unread messages changed, or of those that mention the user. */
  unread: [count: number, mentions: number];
  /** Another connection of the user has hidden the group. */
  hidden: [params: Events["group.hidden"]];
  /** The group is no longer hidden: another connection has shown it, or a message. */
  unhidden: [params: Events["group.unhidden"]];
  /** Members have read further, each up to the message whose `created_at` is `read_at`. */
  read: [reads: Events["group.read"]["reads"]];
  /** Clients of members have received further messages, each up to the one whose `created_at` is `read_at`. */
  delivered: [reads: Events["group.delivered"]["reads"]];
  /** The ids of other members who are typing, and whether there are more; empty after a reconnection. */
  typing: [userIds: string[], hasMore: boolean];
  /** The user is no longer a member. `reason` is null if it was not connected at the time. */
  lost: [result: { reason: Events["group.lost"]["reason"] | null; error: ParleyError }];
}

type ProtocolEvents<Kind extends string> = {
  [Name in keyof Events as Name extends `${Kind}.${string}` ? Name : never]: [params: Events[Name]]
};
type AllChannelEvents = ChannelEvents & ProtocolEvents<"message" | "channel">;
type AllGroupEvents = GroupEvents & Omit<ProtocolEvents<"message" | "channel" | "group">,
  "message.received" | "message.withheld" | "channel.user_entered" | "channel.user_exited"
  | "channel.participant_count" | "group.ready" | "group.totals"> & { "message.received": [params: GroupMessageEvent] };

/** An open channel or a group. */
declare class BaseChannel<AllEvents extends Record<keyof AllEvents, unknown[]>> {
  protected constructor();
  readonly parley: Parley;
  readonly url: string;
  readonly position: Position | null;
  /** Makes a call about this channel. */
  call<Name extends keyof Methods>(
    method: Name, ...rest: Arguments<Omit<Methods[Name]["params"], "channel_url">>
  ): Promise<Methods[Name]["result"]>;
  /** Lists messages, by default the latest. */
  list(params?: Omit<Methods["message.list"]["params"], "channel_url">): Promise<Methods["message.list"]["result"]>;
  /** Lists the messages that were changed or deleted since a token or a time, in the last 30 days. */
  changes(
    params: Omit<Methods["message.changes"]["params"], "channel_url">,
  ): Promise<Methods["message.changes"]["result"]>;
  /**
   * Sends a text, or what `message.send` takes; resolves with the message when it is durable.
   *
   * A patient one waits while the user sends too much, and those behind it wait with it. All wait for files that
   * were sent to the channel before. A refusal by the server stays in the outbox as a failed entry, unless the caller
   * waits for the promise.
   */
  send(
    message: string | Omit<Methods["message.send"]["params"], "channel_url">,
    options?: { patient?: boolean },
  ): Promise<Message>;
  /** Uploads files one after another and sends each as a message, in order with the texts around them. */
  sendFiles<Content extends Blob>(files: Iterable<Content> | ArrayLike<Content>, options?: {
    /** Boxes of width and height, such as `[[320, 240]]`. */
    thumbnailSizes?: [number, number][];
    progress?: (file: Content, sent: number, total: number) => void;
    signal?: AbortSignal;
    /** Further members of `message.send`. */
    params?: Partial<Omit<Methods["message.send"]["params"], "channel_url">>;
  }): Promise<Message[]>;
  on<Name extends keyof AllEvents>(name: Name, listener: (...values: AllEvents[Name]) => void): this;
  off<Name extends keyof AllEvents>(name: Name, listener: (...values: AllEvents[Name]) => void): this;
}

/** An open channel that the client is in. */
export declare class Channel extends BaseChannel<AllChannelEvents> {
  /** The channel as last described by the server. */
  readonly info: ChannelInfo;
  readonly participantCount: number;
  /** Whether the connection is in the channel now. */
  readonly isEntered: boolean;
  exit(): Promise<void>;
}

/** A group, whose events come without entering. */
export declare class Group extends BaseChannel<AllGroupEvents> {
  /** The group as last described by the server. Users who are neither joined nor invited have no `my`. */
  readonly info: GroupInfo & { my?: OwnMembership };
  /** Whether the user has joined. */
  readonly isMember: boolean;
  /** The number of messages that the user has not read. */
  readonly unread: number;
  /** The number of those that mention the user, or all members. */
  readonly unreadMentions: number;
  /** The ids of other members who are typing, as far as the server names them. */
  readonly typingUsers: string[];
  /** Changes fields of the group. */
  update(fields: Omit<Methods["group.update"]["params"], "channel_url">): Promise<Methods["group.update"]["result"]>;
  /** Deletes the group with its messages. */
  delete(): Promise<Methods["group.delete"]["result"]>;
  members(
    params?: Omit<Methods["group.members"]["params"], "channel_url">,
  ): Promise<Methods["group.members"]["result"]>;
  invite(userIds: string[]): Promise<Methods["group.invite"]["result"]>;
  remove(userIds: string[]): Promise<Methods["group.remove"]["result"]>;
  accept(): Promise<Methods["group.accept"]["result"]>;
  decline(): Promise<Methods["group.decline"]["result"]>;
  /** Joins a public group. */
  join(accessCode?: string): Promise<Methods["group.join"]["result"]>;
  leave(): Promise<Methods["group.leave"]["result"]>;
  /** Marks messages as read up to this one: the last that was shown. By default the last that was delivered. */
  markRead(message?: Pick<Message, "message_id">): Promise<Methods["group.mark_read"]["result"]>;
  /**
   * Marks messages as delivered up to this one, which came in another way than over the connection, such as a push
   * notification. The client marks what it receives by itself, where the server has delivery receipts.
   */
  markDelivered(message: Pick<Message, "message_id">): Promise<Methods["group.mark_delivered"]["result"]>;
  /** How far the joined members have read and received messages: `created_at` of the last message by user id. */
  receipts(): Promise<Methods["group.receipts"]["result"]>;
  /**
   * Shows the other members that the user is typing, or no longer. Call it with each key: one call in two seconds is
   * sent, and none without a connection. A message ends it.
   */
  typing(isTyping?: boolean): void;
  /** Marks this message and later ones as unread. */
  markUnread(message: Pick<Message, "message_id">): Promise<Methods["group.mark_unread"]["result"]>;
  /** Hides the group from lists, by default until the next message. */
  hide(params?: Omit<Methods["group.hide"]["params"], "channel_url">): Promise<Methods["group.hide"]["result"]>;
  unhide(): Promise<Methods["group.unhide"]["result"]>;
  /** Hides all present messages from the user. */
  resetHistory(): Promise<Methods["group.reset_history"]["result"]>;
}

/** A message on its way. */
export interface OutboxEntry {
  readonly id: string;
  readonly channelUrl: string;
  readonly params: Partial<Omit<Methods["message.send"]["params"], "channel_url">>;
  readonly file: Blob | null;
  readonly createdAt: number;
  readonly state: "pending" | "sent" | "failed" | "discarded";
  readonly error: ParleyError | null;
  readonly message: Message | null;
  /** Bytes of the file that were sent. */
  readonly uploaded: number;
  /** Sends a failed message again. */
  retry(): Promise<Message>;
  /** Gives the message up; an upload is cancelled. */
  discard(): void;
}

/** The messages that wait for the connection, or were refused, in the order of their sending. */
export declare class Outbox {
  private constructor();
  readonly entries: OutboxEntry[];
  /** Sends a message that failed again, or all of them. */
  retry(entry: OutboxEntry): Promise<Message>;
  retry(): Promise<Message[]>;
  /** Gives up a message, or all that failed. */
  discard(entry?: OutboxEntry): void;
  on(name: "change" | "progress", listener: (entry: OutboxEntry) => void): this;
  off(name: "change" | "progress", listener: (entry: OutboxEntry) => void): this;
}

// generated: types
/** The parameters and the result of each method. */
export interface Methods {
  /** Opens the session. Must be the first request. */
  "session.open": {
    params: {
      user_id?: string;
      /** A token issued by the Platform API, or a JSON Web Token whose `sub` is the user. Ignored with `auth.mode = open`, and checked by the app's back end with `hook`. */
      access_token?: string | null;
      /** Opens the session of an observer, instead of `user_id`. Issued by the Platform API and valid once. */
      ticket?: string | null;
      nickname?: string | null;
      profile_url?: string | null;
      /** Whether the connection receives the events of the user's groups. */
      groups?: boolean | null;
    };
    result: {
      session_id: string;
      /** Present for observers only. Sessions of users have `user`. */
      is_observer?: true;
      user?: User;
      server: {
        name: string;
        version: string;
      };
      /** Limits of the server that are settings. The schemas of parameters have their largest values. */
      limits: {
        message_bytes: number;
        flood: {
          messages: number;
          window_ms: number;
        };
        /** Messages of a user to all channels together. */
        user_flood: {
          messages: number;
          window_ms: number;
        };
        /** Characters of a `custom_type`. */
        custom_type_length: number;
        /** Bytes of `data`. */
        data_bytes: number;
        /** The extra data of a message: keys, values of a key, their lengths in characters, and the bytes of all together. */
        metaarray: {
          keys: number;
          key_length: number;
          values: number;
          value_length: number;
          bytes: number;
        };
        /** The metadata of a user: keys, lengths in characters, and the bytes of all together. */
        metadata: {
          keys: number;
          key_length: number;
          value_length: number;
          user_bytes: number;
        };
      };
      ping_interval_ms: number;
      /** The features of the server. The member of a disabled feature is absent. */
      features: {
        files?: {
          max_bytes: number;
          tus: "1.0.0";
          /** `files.public_url`, the base of the addresses of all files; absent where each upload names its own. Add file keys to addresses of the connected server and of this base alone. */
          base?: string;
        };
        thumbnails?: {
          sizes: number;
          types: string[];
        };
        translation?: {
          languages: string[];
          per_message: number;
        };
        /** `message.search` is available. */
        search?: true;
        /** Links in messages are previewed, and `preview.fetch` is available. */
        previews?: true;
        groups?: {
          max_members: number;
          max_super_members: number;
          /** The number of members of the largest group with read receipts. */
          receipts: number;
          /** Whether groups with read receipts also have delivery receipts. */
          delivery: boolean;
          typing: true;
        };
        push?: {
          /** The types of tokens that can be registered. */
          types: ("web" | "apns" | "gcm" | "huawei")[];
          /** The key that browsers subscribe with, in base64url. Absent without the type `web`. */
          web_key?: string;
        };
      };
      file_key?: FileKey;
      /** JSON from the app's back end, which is asked before sessions open. Absent without any. */
      hook_data?: Record<string, unknown> | unknown[] | string | number | boolean;
    };
  };
  /** Replaces the access token of the session. */
  "session.refresh": {
    params: {
      access_token: string;
    };
    result: {
      file_key?: FileKey;
    };
  };
  /** Returns the server's time. For clients that cannot send WebSocket pings. */
  "session.ping": {
    params: Record<string, unknown>;
    result: {
      time: number;
    };
  };
  /** Reports that the application is in the background, or no longer. Messages are then pushed as if the session did not exist. */
  "session.background": {
    params: {
      on: boolean;
    };
    result: Record<string, unknown>;
  };
  /** Closes the connection with 1000 after all requests are answered. */
  "session.close": {
    params: {
      /** Whether all push tokens of the user are removed. Default: false. */
      unregister?: boolean | null;
    };
    result: Record<string, unknown>;
  };
  /** Returns a user with its metadata, which messages and channels do not contain. */
  "user.get": {
    params: {
      user_id: string;
    };
    result: {
      user: User;
    };
  };
  /** Changes the user's own profile. `metadata` replaces all metadata. */
  "user.update": {
    params: {
      nickname?: string | null;
      profile_url?: string | null;
      profile_file_id?: string | null;
      metadata?: Record<string, string | null> | null;
    };
    result: {
      user: User;
    };
  };
  /** Changes the given choices of the user, and returns all. */
  "user.preferences": {
    params: {
      /** Whether the user joins a group as soon as it is invited. */
      auto_accept_invitations?: boolean | null;
      /** Whether other members of groups learn how far the user has read, and the user how far they have. */
      send_read_receipts?: boolean | null;
    };
    result: {
      auto_accept_invitations: boolean;
      send_read_receipts: boolean;
    };
  };
  /** Blocks another user, which does not learn of it: see Blocking in the documentation of groups. */
  "user.block": {
    params: {
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Ends the block of another user. */
  "user.unblock": {
    params: {
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Reports a user for its behaviour in a channel. Only for users who are in the channel. */
  "user.report": {
    params: {
      channel_url: string;
      user_id: string;
      category: "suspicious" | "harassing" | "inappropriate" | "spam" | "custom";
      /** The name of the category `custom`, for which it is required. */
      custom_category?: string | null;
      /** The user's own words. */
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lists the users whom the caller blocks, in the order of their ids. */
  "user.blocked": {
    params: {
      limit?: number | null;
      /** `next` of the previous page. Empty for the first page. */
      token?: string | null;
    };
    result: {
      users: User[];
      next: string;
    };
  };
  /** Registers a device or browser of the user for pushes. A token belongs to the user who registered it last. */
  "push.register": {
    params: {
      type: "web" | "apns" | "gcm" | "huawei";
      /** The token of the device, for all types but `web`. For `apns` in hexadecimal digits. */
      token?: string | null;
      /** For `web`: the `PushSubscription` of the browser. */
      subscription?: {
        /** A URL of https. */
        endpoint: string;
        keys: {
          /** 65 bytes in base64url: a point of the curve P-256. */
          p256dh: string;
          /** 16 bytes in base64url. */
          auth: string;
        };
      } | null;
      /** Whether the user's other tokens of the type are removed. Default: false. */
      unique?: boolean | null;
      /** The device, whose earlier token is replaced. */
      device_id?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Removes a token of the user, all of a type, or all. A token that is not registered is no error. */
  "push.unregister": {
    params: {
      type?: "web" | "apns" | "gcm" | "huawei" | null;
      /** Without it all tokens of the type are removed. */
      token?: string | null;
      /** For `web` in place of `token`. */
      endpoint?: string | null;
      /** Whether the tokens of all types are removed. Excludes the other members. */
      all?: boolean | null;
    };
    result: Record<string, unknown>;
  };
  /** Lists the push tokens of the user, those registered first in front. */
  "push.tokens": {
    params: Record<string, unknown>;
    result: {
      tokens: PushToken[];
    };
  };
  /** Changes the given choices of the user about pushes, and returns all. */
  "push.preferences": {
    params: {
      /** The messages of groups that are pushed. */
      push_trigger_option?: "all" | "mention_only" | "off" | null;
      /** Whether nothing is pushed from the start to the end of each day. `true` removes `dnd_schedules`. */
      do_not_disturb?: boolean | null;
      start_hour?: number | null;
      start_min?: number | null;
      end_hour?: number | null;
      end_min?: number | null;
      /** An IANA time zone such as `Europe/Berlin`. */
      timezone?: string | null;
      /** Windows by day of the week. A list that is not empty ends `do_not_disturb`. */
      dnd_schedules?: DndSchedule[] | null;
      /** Whether nothing is pushed in a period. */
      snooze_enabled?: boolean | null;
      snooze_start_ts?: number | null;
      snooze_end_ts?: number | null;
      /** The name of a sound of the app. Empty for `default`. */
      push_sound?: string | null;
      /** Whether pushes show the text of messages, or `push.text_hidden` with `alternative`. */
      template?: "default" | "alternative" | null;
    };
    result: {
      preferences: PushPreferences;
    };
  };
  /** Creates a channel. The creator is its first operator. */
  "channel.create": {
    params: {
      /** Generated by the server if absent. */
      channel_url?: string | null;
      name?: string | null;
      cover_url?: string | null;
      cover_file_id?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      custom_type?: string | null;
      operator_ids?: string[] | null;
      /** Whether the channel keeps no messages. */
      is_ephemeral?: boolean | null;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Returns a channel. */
  "channel.get": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Lists channels. */
  "channel.list": {
    params: {
      /** A part of the name; case is ignored. */
      name_contains?: string | null;
      url_contains?: string | null;
      custom_types?: string[] | null;
      /** Only frozen channels, or only others. */
      frozen?: boolean | null;
      show_frozen?: boolean | null;
      /** `created`: newest first. `participants`: those with the most participants first. `latest_message`: those with the latest message first, exact to a minute. */
      order?: "created" | "participants" | "latest_message" | null;
      limit?: number | null;
      /** `next` of the previous page. Empty for the first page. */
      token?: string | null;
    };
    result: {
      channels: ChannelInfo[];
      next: string;
    };
  };
  /** Changes fields of a channel. Operators only. */
  "channel.update": {
    params: {
      channel_url: string;
      name?: string | null;
      cover_url?: string | null;
      cover_file_id?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      custom_type?: string | null;
      operator_ids?: string[] | null;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Deletes a channel and everything in it. Operators only. */
  "channel.delete": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Enters a channel. With `recover`, returns the events that the client missed. */
  "channel.enter": {
    params: {
      channel_url: string;
      recover?: {
        epoch: string;
        seq: number;
      } | null;
    };
    result: {
      channel: ChannelInfo;
      participant_count: number;
      epoch: string;
      seq: number;
      recovered: boolean;
      /** Complete notifications, in order. The last one is `channel.throttled` if messages among them were withheld. */
      events: { [Name in keyof Events]: { method: Name; params: Events[Name] } }[keyof Events][];
    };
  };
  /** Leaves a channel. */
  "channel.exit": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Lists participants in the order in which they entered. */
  "channel.participants": {
    params: {
      channel_url: string;
      limit?: number | null;
      /** `next` of the previous page. Empty for the first page. */
      token?: string | null;
    };
    result: {
      participants: UserReference[];
      next: string;
    };
  };
  /** Freezes a channel: only operators may send. Operators only. */
  "channel.freeze": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo | GroupInfo;
    };
  };
  /** Unfreezes a channel. Operators only. */
  "channel.unfreeze": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo | GroupInfo;
    };
  };
  /** Mutes a user. Operators only. */
  "channel.mute": {
    params: {
      channel_url: string;
      user_id: string;
      /** 1 or more, or -1 for ten years. */
      seconds?: number | null;
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lifts a mute. Operators only. */
  "channel.unmute": {
    params: {
      channel_url: string;
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Bans a user and removes it from the channel. Operators only. */
  "channel.ban": {
    params: {
      channel_url: string;
      user_id: string;
      /** 1 or more, or -1 for ten years. */
      seconds?: number | null;
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lifts a ban. Operators only. */
  "channel.unban": {
    params: {
      channel_url: string;
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Adds operators to a channel. Operators only. */
  "channel.add_operators": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: ChannelInfo | GroupInfo;
    };
  };
  /** Reports a channel to the moderators. Only for users who are in the channel. */
  "channel.report": {
    params: {
      channel_url: string;
      category: "suspicious" | "harassing" | "inappropriate" | "spam" | "custom";
      /** The name of the category `custom`, for which it is required. */
      custom_category?: string | null;
      /** The user's own words. */
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Removes operators from a channel. Operators only. */
  "channel.remove_operators": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: ChannelInfo | GroupInfo;
    };
  };
  /** Creates a group with the caller and other users as members. */
  "group.create": {
    params: {
      /** The first members. The caller is added. */
      user_ids?: string[] | null;
      channel_url?: string | null;
      name?: string | null;
      cover_url?: string | null;
      cover_file_id?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      custom_type?: string | null;
      /** Whether an existing distinct group of exactly these users is returned instead of a new one. */
      is_distinct?: boolean | null;
      /** Whether users who are not members may join. Not together with `is_distinct`. */
      is_public?: boolean | null;
      /** Whether the group has room for many members. Not together with `is_distinct`. */
      is_super?: boolean | null;
      /** The text with which users join while the group is public. Empty if none is needed. */
      access_code?: string | null;
      /** Whether the group keeps no messages. */
      is_ephemeral?: boolean | null;
      /** Members. By default the caller; in a distinct group nobody. */
      operator_ids?: string[] | null;
      /** The number of members in the answer. */
      members_limit?: number | null;
    };
    result: {
      channel: GroupView;
      /** False if a distinct group of these users existed. */
      created: boolean;
    };
  };
  /** Returns a group. */
  "group.get": {
    params: {
      channel_url: string;
      /** The number of members in the answer. */
      members_limit?: number | null;
    };
    result: {
      channel: GroupView;
    };
  };
  /** Changes fields of a group. Operators only, or any joined member if there are none. */
  "group.update": {
    params: {
      channel_url: string;
      name?: string | null;
      cover_url?: string | null;
      cover_file_id?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      custom_type?: string | null;
      is_public?: boolean | null;
      /** The text with which users join while the group is public. Empty if none is needed. */
      access_code?: string | null;
      /** Members, who replace all operators. */
      operator_ids?: string[] | null;
    };
    result: {
      channel: GroupView;
    };
  };
  /** Deletes a group with its messages. Operators only. */
  "group.delete": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Adds users to a group. Each joins at once unless it accepts invitations itself. */
  "group.invite": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: GroupView;
      /** Users who were invited and have not joined. */
      invited: string[];
      /** Users who joined at once. */
      joined: string[];
      /** Users who were members before. */
      skipped: string[];
    };
  };
  /** Accepts an invitation. */
  "group.accept": {
    params: {
      channel_url: string;
    };
    result: {
      channel: GroupView;
    };
  };
  /** Declines an invitation. */
  "group.decline": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Joins a public group. */
  "group.join": {
    params: {
      channel_url: string;
      /** Required if the group has one. */
      access_code?: string | null;
    };
    result: {
      channel: GroupView;
    };
  };
  /** Leaves a group. */
  "group.leave": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Removes members, joined or invited. Operators only. */
  "group.remove": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: GroupView;
    };
  };
  /** Lists the members of a group in the order in which they became members. */
  "group.members": {
    params: {
      channel_url: string;
      member_state?: "all" | "joined" | "invited" | null;
      limit?: number | null;
      /** `next` of the previous page. Empty for the first page. */
      token?: string | null;
    };
    result: {
      members: Member[];
      next: string;
    };
  };
  /** Lists the groups of the user, or all public groups. A page is shorter than `limit` if it would exceed 512 KiB. */
  "group.list": {
    params: {
      /** Default: latest_last_message. With `public_only` only chronological is available, newest first. */
      order?: "latest_last_message" | "chronological" | "channel_name_alphabetical" | null;
      member_state?: "all" | "joined" | "invited" | null;
      hidden_mode?: "unhidden_only" | "hidden_only" | "hidden_allow_auto_unhide" | "hidden_prevent_auto_unhide" | "all" | null;
      /** Only groups with unread messages. */
      unread_only?: boolean | null;
      /** All public groups instead of the user's own. Not with `member_state`, `hidden_mode` or `unread_only`. */
      public_only?: boolean | null;
      public_mode?: "all" | "public" | "private" | null;
      distinct_mode?: "all" | "distinct" | "nondistinct" | null;
      super_mode?: "all" | "super" | "nonsuper" | null;
      /** Only groups with one of these types. */
      custom_types?: string[] | null;
      custom_type_startswith?: string | null;
      /** A part of the name; case is ignored. */
      name_contains?: string | null;
      /** Only groups with these members, joined or invited. */
      members_include?: {
        user_ids?: string[] | null;
        mode?: "and" | "or" | null;
      } | null;
      /** Only groups with these members and no others. Instead of `members_include`. */
      members_exactly?: string[] | null;
      /** A part of the nickname of a member; case is ignored. */
      nickname_contains?: string | null;
      /** Only these groups. */
      channel_urls?: string[] | null;
      /** Whether groups without a visible message are listed. */
      show_empty?: boolean | null;
      show_frozen?: boolean | null;
      /** The number of members of each group. */
      members_limit?: number | null;
      limit?: number | null;
      /** `next` of the previous page of the same list. Empty for the first page. */
      token?: string | null;
    };
    result: {
      channels: GroupView[];
      next: string;
    };
  };
  /** Adds up the unread messages of all groups that the user has joined and not hidden. */
  "group.unread": {
    params: {
      /** Only groups with one of these types. */
      custom_types?: string[] | null;
      super_mode?: "all" | "super" | "nonsuper" | null;
    };
    result: {
      /** Unread messages. */
      unread_message_count: number;
      /** Unread messages that mention the user. */
      unread_mention_count: number;
      /** Groups with unread messages. */
      unread_channel_count: number;
      /** Open invitations. */
      invitation_count: number;
    };
  };
  /** Lists the groups of the user that have changed, and those that it is no longer in, oldest change first. Changes are kept for 30 days. */
  "group.changes": {
    params: {
      /** `token` of an earlier `group.changes`, or of `group.ready`. */
      token?: string | null;
      /** Unix milliseconds, in the last 30 days. */
      since?: number | null;
      limit?: number | null;
    };
    result: {
      /** The groups in their present state. */
      updated: GroupView[];
      /** The groups that the user is no longer in. */
      deleted: string[];
      /** Whether there are more changes, for another call with `token`. */
      has_more: boolean;
      /** Continues the list, now or in a later session. */
      token: string;
    };
  };
  /** Begins or ends the events `group.totals` of the connection. The first one follows at once. */
  "group.watch_totals": {
    params: {
      on: boolean;
    };
    result: Record<string, unknown>;
  };
  /** Returns the events that the connection has missed in groups, up to 3,000 events in an answer. Each group costs a call. */
  "group.recover": {
    params: {
      /** Each group once. */
      channels: {
        channel_url: string;
        epoch: string;
        /** The last event received. */
        seq: number;
      }[];
    };
    result: {
      results: unknown[];
    };
  };
  /** Marks messages as read: of one group up to a message or the last one, of several groups, or of all. Of the marks of a member in a group, three a second are carried out at once; later ones become one mark, whose answer may come after those of later calls. */
  "group.mark_read": {
    params: {
      channel_url?: string | null;
      /** The last message that was shown. Only with `channel_url`. */
      message_id?: number | null;
      /** Instead of `channel_url`. Without both, all groups are marked. */
      channel_urls?: string[] | null;
    };
    result: {
      my?: OwnMembership;
    };
  };
  /** Marks the last messages of groups that the client has received, with all before them. Ten groups cost a call. */
  "group.mark_delivered": {
    params: {
      /** Each group once. */
      channels: {
        channel_url: string;
        /** The last message received. */
        message_id: number;
      }[];
    };
    result: Record<string, unknown>;
  };
  /** Moves the read position before a message, at the pace of `group.mark_read`. */
  "group.mark_unread": {
    params: {
      channel_url: string;
      message_id: number;
    };
    result: {
      my: OwnMembership;
    };
  };
  /** Hides a group from the user's list. */
  "group.hide": {
    params: {
      channel_url: string;
      /** Whether the user's history begins after the present messages. */
      hide_previous_messages?: boolean | null;
      /** Whether the next message unhides the group. False: the group is archived. */
      allow_auto_unhide?: boolean | null;
    };
    result: {
      my: OwnMembership;
    };
  };
  /** Shows a hidden group in the user's list again. */
  "group.unhide": {
    params: {
      channel_url: string;
    };
    result: {
      my: OwnMembership;
    };
  };
  /** Begins the user's history after the present messages. */
  "group.reset_history": {
    params: {
      channel_url: string;
    };
    result: {
      my: OwnMembership;
      /** `visible_from` of `my`. */
      ts_message_offset: number;
    };
  };
  /** Sets the numbers of unread messages that the user wants of a group, and which of its messages are pushed. */
  "group.set_preference": {
    params: {
      channel_url: string;
      count_preference?: "all" | "unread_message_count_only" | "unread_mention_count_only" | "off" | null;
      /** The messages of the group that are pushed. `default` for those of `push.preferences`. */
      push_trigger_option?: "default" | "all" | "mention_only" | "off" | null;
    };
    result: {
      my: OwnMembership;
    };
  };
  /** Shows the other members of a group that the user is typing, or no longer. */
  "group.typing": {
    params: {
      channel_url: string;
      is_typing: boolean;
    };
    result: Record<string, unknown>;
  };
  /** Returns how far the joined members of a group have read, and how far their clients have received messages. */
  "group.receipts": {
    params: {
      channel_url: string;
    };
    result: {
      /** By joined member: the `created_at` of the last message that it has read, or 0. */
      read: Record<string, number>;
      /** By joined member: the `created_at` of the last message that a client of it has received, or 0. Empty without delivery receipts. */
      delivered: Record<string, number>;
    };
  };
  /** Creates an upload. The bytes are sent to its URL over HTTP. */
  "file.create": {
    params: {
      /** The size of the file in bytes. */
      size: number;
      /** The name of the file. Folders and characters that affect the surrounding text are removed. */
      name?: string | null;
      /** The media type. */
      type?: string | null;
      /** A call repeated with the same value within ten minutes returns the same upload and URL, or 400201 if the upload no longer exists. */
      req_id?: string | null;
      thumbnail_sizes?: {
        max_width: number;
        max_height: number;
      }[] | null;
      /** Whether the file is encrypted and needs a key; with `files.encryption: on` false counts only without a `message`. */
      require_auth?: boolean | null;
      /** The parameters of `message.send` without `url` and `file_id`: the server sends the message when the upload is complete. */
      message?: {
        channel_url: string;
        message_type?: "FILE" | null;
        message?: string | null;
        file_name?: string | null;
        file_type?: string | null;
        thumbnail_sizes?: {
          max_width: number;
          max_height: number;
        }[] | null;
        /** True counts as that of the upload does. */
        require_auth?: boolean | null;
        req_id?: string | null;
        custom_type?: string | null;
        /** At most 16,384 bytes; the server does not look inside. */
        data?: string | null;
        mention_type?: "users" | "channel" | null;
        mentioned_user_ids?: string[] | null;
        /** `sorted_metaarray` is another name. */
        metaarray?: GivenMetaarray[] | null;
        /** `suppress`: the message is not pushed. */
        push_option?: "default" | "suppress" | null;
      } | null;
    };
    result: {
      file: Upload;
      /** The URL for the bytes, by PUT or tus 1.0.0. It is a secret. */
      upload_url: string;
    };
  };
  /** Returns an upload of the user. */
  "file.get": {
    params: {
      file_id: string;
    };
    result: {
      file: Upload;
    };
  };
  /** Lists the user's uploads that are incomplete or whose file is in no message, newest first. */
  "file.list": {
    params: {
      limit?: number | null;
      /** `next` of the previous page. Empty for the first page. */
      token?: string | null;
    };
    result: {
      files: Upload[];
      next: string;
    };
  };
  /** Cancels an incomplete upload. */
  "file.cancel": {
    params: {
      file_id: string;
    };
    result: {
      /** False if the upload or fetch had ended, or is unknown. */
      cancelled: boolean;
    };
  };
  /** Returns the preview of a link, without a message. Later calls may be answered first. */
  "preview.fetch": {
    params: {
      /** A link, as in a message. */
      url: string;
      /** Default: `unfurl.timeout_ms`. */
      timeout_ms?: number | null;
      /** An id of the fetch, for `preview.cancel`. */
      fetch_id?: string | null;
    };
    result: {
      /** The normalized link. */
      url: string;
      og_tag: OgTag | null;
      site_name: string | null;
      /** Whether the answer comes from the cache. */
      cached: boolean;
      /** The failure. Null with a preview and for a page that has none. */
      problem: {
        kind: "cancelled" | "failed" | "timed_out" | "unknown";
        message: string;
      } | null;
    };
  };
  /** Cancels a fetch of the same connection. */
  "preview.cancel": {
    params: {
      fetch_id: string;
    };
    result: {
      /** False if the upload or fetch had ended, or is unknown. */
      cancelled: boolean;
    };
  };
  /** Sends a message. Answered when the message is durable. */
  "message.send": {
    params: {
      message_type?: "MESG" | null | "FILE";
      message?: string | null;
      /** The URL of the file. */
      url?: string;
      file_name?: string | null;
      /** The media type. */
      file_type?: string | null;
      /** Bytes. */
      file_size?: number | null;
      file_id?: string;
      thumbnail_sizes?: {
        max_width: number;
        max_height: number;
      }[] | null;
      /** A file in the clear is encrypted before it is sent, and needs a key from then on. */
      require_auth?: boolean | null;
      channel_url: string;
      /** A send repeated with the same value within ten minutes returns the first message. `dedup_id` is another name. */
      req_id?: string | null;
      custom_type?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      mention_type?: "users" | "channel" | null;
      mentioned_user_ids?: string[] | null;
      /** `sorted_metaarray` is another name. */
      metaarray?: GivenMetaarray[] | null;
      translation_target_langs?: string[] | null;
      /** `suppress`: the message is not pushed. */
      push_option?: "default" | "suppress" | null;
    };
    result: {
      message: Message;
      seq: number;
    };
  };
  /** Sends file messages. Each is checked and answered separately, in order. */
  "message.send_files": {
    params: {
      channel_url: string;
      files: Record<string, unknown>[];
    };
    result: {
      results: ({
        /** The message, or only its id if the answer would be too large. */
        message: Record<string, unknown>;
        seq: number;
      } | {
        error: ErrorDetails;
      })[];
    };
  };
  /** Changes fields of a message. Authors and operators only. */
  "message.update": {
    params: {
      channel_url: string;
      message_id: number;
      message?: string | null;
      /** At most 16,384 bytes. The server does not interpret it. */
      data?: string | null;
      custom_type?: string | null;
      mention_type?: "users" | "channel" | null;
      mentioned_user_ids?: string[] | null;
    };
    result: {
      message: Message;
    };
  };
  /** Deletes a message. Authors and operators only. */
  "message.delete": {
    params: {
      channel_url: string;
      message_id: number;
    };
    result: Record<string, unknown>;
  };
  /** Returns a message. */
  "message.get": {
    params: {
      channel_url: string;
      message_id: number;
    };
    result: {
      message: Message;
    };
  };
  /** Reports a message to the moderators, who see it as it is now. Only for users who are in the channel. */
  "message.report": {
    params: {
      channel_url: string;
      message_id: number;
      category: "suspicious" | "harassing" | "inappropriate" | "spam" | "custom";
      /** The name of the category `custom`, for which it is required. */
      custom_category?: string | null;
      /** The user's own words. */
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lists the messages of a channel that were changed or deleted, oldest change first. Changes are kept for 30 days. */
  "message.changes": {
    params: {
      channel_url: string;
      /** `token` of an earlier `message.changes`. */
      token?: string | null;
      /** Unix milliseconds, in the last 30 days. */
      since?: number | null;
      limit?: number | null;
    };
    result: {
      /** The messages in their present state. */
      updated: Message[];
      deleted_ids: number[];
      /** Whether there are more changes, for another call with `token`. */
      has_more: boolean;
      /** Continues the list, now or in a later session. */
      token: string;
    };
  };
  /** Finds messages by their words, in open channels and in the groups that the user has joined. Five searches a second, two at a time. */
  "message.search": {
    params: {
      /** Words that all occur. Quotes enclose a phrase. The last word also matches longer words. */
      query: string;
      /** Only messages of this channel. */
      channel_url?: string | null;
      /** Only messages of channels with this type. */
      channel_custom_type?: string | null;
      /** Only messages with one of these types. */
      custom_types?: string[] | null;
      /** Only messages of these users. */
      sender_ids?: string[] | null;
      message_type?: "MESG" | "FILE" | "ADMM" | null;
      /** Only messages that mention this user, or all of their channel. */
      mentioned_user_id?: string | null;
      /** Only messages with a file, or without one. */
      has_file?: boolean | null;
      /** Only messages with a web address in the text or with a preview, or without both. */
      has_link?: boolean | null;
      /** Only messages that were edited at this time, in Unix milliseconds, or later. */
      updated_since?: number | null;
      /** Only messages from this time on, in Unix milliseconds. */
      from_ts?: number | null;
      /** Only messages up to this time, in Unix milliseconds. */
      to_ts?: number | null;
      /** Whether the query is one phrase of whole words. */
      exact_match?: boolean | null;
      /** The newest first, or of the newest 1,000 those that match best. */
      order?: "time" | "score" | null;
      reverse?: boolean | null;
      limit?: number | null;
      /** `next` of the previous page. */
      token?: string | null;
    };
    result: {
      messages: Message[];
      /** The token of the next page. Empty at the end. */
      next: string;
      /** The number of messages found. */
      total_count: number;
      /** There are or may be more messages than `total_count`. */
      total_more?: true;
      /** The time was up before the page was full, or older messages are not in the index. */
      partial?: true;
    };
  };
  /** Lists messages around a position. Default: the latest messages. */
  "message.list": {
    params: {
      channel_url: string;
      /** Takes precedence over `message_ts` when above 0. */
      message_id?: number | null;
      message_ts?: number | null;
      prev_limit?: number | null;
      next_limit?: number | null;
      /** Whether to include the message at the position. Default: true. */
      include?: boolean | null;
      reverse?: boolean | null;
      message_type?: "MESG" | "FILE" | "ADMM" | null;
      custom_types?: string[] | null;
      /** Only messages that mention this user, or all of their channel. */
      mentioned_user_id?: string | null;
      /** Only messages with a file, or without one. */
      has_file?: boolean | null;
      /** Only messages with a web address in the text or with a preview, or without both. */
      has_link?: boolean | null;
      /** Only messages that were edited at this time, in Unix milliseconds, or later. */
      updated_since?: number | null;
      /** Only messages from this time on, in Unix milliseconds. */
      from_ts?: number | null;
      /** Only messages up to this time, in Unix milliseconds. */
      to_ts?: number | null;
      sender_ids?: string[] | null;
    };
    result: {
      messages: Message[];
      /** Whether there may be earlier messages. A page ends early at 512 KiB and, with filters, after `limits.query_ms`. */
      has_previous: boolean;
      /** Whether there may be later messages. */
      has_next: boolean;
      /** The `message_id` for listing earlier messages, with `include` false. 0 if there are none. */
      previous_from: number;
      /** The `message_id` for listing later messages, with `include` false. 0 if there are none. */
      next_from: number;
    };
  };
  /** Adds keys to the extra data of a message. Authors and operators only. */
  "message.create_metaarray_keys": {
    params: {
      channel_url: string;
      message_id: number;
      keys: string[];
    };
    result: {
      message: Message;
    };
  };
  /** Removes keys and their values from the extra data. Authors and operators only. */
  "message.delete_metaarray_keys": {
    params: {
      channel_url: string;
      message_id: number;
      keys: string[];
    };
    result: {
      message: Message;
    };
  };
  /** Adds values to keys of the extra data. Participants only; missing keys are created for authors and operators. */
  "message.add_metaarray_values": {
    params: {
      channel_url: string;
      message_id: number;
      values: Record<string, string[] | null>;
    };
    result: {
      message: Message;
    };
  };
  /** Removes values from keys of the extra data. Participants only. */
  "message.remove_metaarray_values": {
    params: {
      channel_url: string;
      message_id: number;
      values: Record<string, string[] | null>;
    };
    result: {
      message: Message;
    };
  };
  /** Translates a user's message. Translations are stored, and sent to all other connections as an update. */
  "message.translate": {
    params: {
      channel_url: string;
      message_id: number;
      target_langs: string[];
    };
    result: {
      message: Message;
    };
  };
}

/** The parameters of each event. */
export interface Events {
  /** A message was sent. */
  "message.received": {
    channel_url: string;
    seq: number;
    ts: number;
    message: Message;
  };
  /** A message was changed by a user or by the server (a preview). Contains the newest state, at most five times a second. `seq` may be smaller than in earlier events. */
  "message.updated": {
    channel_url: string;
    seq: number;
    ts: number;
    message: Message;
    /** The mentions of a message of a group before a change of them. Absent if they are unchanged, and in recovered events; without members if there were none. */
    former_mentions?: {
      mention_type?: "users" | "channel";
      mentioned_user_ids?: string[];
    };
  };
  /** A message was deleted. */
  "message.deleted": {
    channel_url: string;
    seq: number;
    ts: number;
    message_id: number;
    /** The ordinal of the message. In groups, and only in live events. */
    ordinal?: number;
    sender_id?: string;
    /** Of a message of a group that mentioned members, as the next one. */
    mention_type?: "users" | "channel";
    mentioned_user_ids?: string[];
  };
  /** A channel's name, cover, data or type changed. */
  "channel.changed": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo | GroupInfo;
  };
  /** A channel was deleted. All participants have left it. */
  "channel.deleted": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo | GroupInfo;
  };
  /** The channel was frozen: only operators may send. */
  "channel.frozen": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo | GroupInfo;
  };
  /** The channel was unfrozen. */
  "channel.unfrozen": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo | GroupInfo;
  };
  /** A user was muted. */
  "channel.user_muted": {
    channel_url: string;
    seq: number;
    ts: number;
    user: UserReference;
    /** The length of the restriction in seconds. 315,360,000 means ten years. */
    seconds: number;
    description: string;
  };
  /** A mute was lifted. */
  "channel.user_unmuted": {
    channel_url: string;
    seq: number;
    ts: number;
    user: UserReference;
  };
  /** A user was banned. */
  "channel.user_banned": {
    channel_url: string;
    seq: number;
    ts: number;
    user: UserReference;
    /** The length of the restriction in seconds. 315,360,000 means ten years. */
    seconds: number;
    description: string;
  };
  /** A ban was lifted. */
  "channel.user_unbanned": {
    channel_url: string;
    seq: number;
    ts: number;
    user: UserReference;
  };
  /** The operators of a channel changed. Contains all operators. */
  "channel.operators_changed": {
    channel_url: string;
    seq: number;
    ts: number;
    operators: UserReference[];
  };
  /** A user entered with its first connection. Sent at most once a second per user. */
  "channel.user_entered": {
    channel_url: string;
    ts: number;
    user: UserReference;
    participant_count: number;
  };
  /** A user left with its last connection. Sent at most once a second per user. */
  "channel.user_exited": {
    channel_url: string;
    ts: number;
    user: UserReference;
    participant_count: number;
  };
  /** The number of participants. Sent in large channels, at most once a second. */
  "channel.participant_count": {
    channel_url: string;
    ts: number;
    participant_count: number;
  };
  /** Messages were withheld from the participant. They can be listed. */
  "channel.throttled": {
    channel_url: string;
    ts: number;
    withheld: number;
    first_message_id: number;
    last_message_id: number;
  };
  /** Users were invited to a group. Sent to joined members and to these users. In a group of more than 100 members, and in a super group, it is sent to these users only, without `seq`. */
  "group.invited": {
    channel_url: string;
    seq?: number;
    ts: number;
    inviter: UserReference | null;
    users: UserReference[];
    channel: GroupInfo;
  };
  /** A user joined a group. In a group of more than 100 members, and in a super group, it is sent to the user only, without `seq`. */
  "group.joined": {
    channel_url: string;
    seq?: number;
    ts: number;
    user: UserReference;
    /** Joined and invited members. */
    member_count: number;
    joined_member_count: number;
  };
  /** An invitation to a group ended: it was declined or withdrawn. */
  "group.declined": {
    channel_url: string;
    seq?: number;
    ts: number;
    user: UserReference;
    /** Joined and invited members. */
    member_count: number;
    joined_member_count: number;
  };
  /** A joined member left a group, or was removed. In a group of more than 100 members, and in a super group, it is sent to the user only, without `seq`. */
  "group.left": {
    channel_url: string;
    seq?: number;
    ts: number;
    user: UserReference;
    /** Joined and invited members. */
    member_count: number;
    joined_member_count: number;
    reason: "left" | "removed" | "banned" | "deleted_user";
  };
  /** The numbers of members of a group of more than 100 members, or of a super group, changed. At most once a second. */
  "group.member_count": {
    channel_url: string;
    ts: number;
    /** Joined and invited members. */
    member_count: number;
    joined_member_count: number;
  };
  /** The user is no longer a member of a group. No event of the group follows. */
  "group.lost": {
    channel_url: string;
    ts: number;
    reason: "left" | "declined" | "removed" | "banned" | "deleted_user" | "deleted";
  };
  /** The user's read position, history or preference in a group changed on another connection. */
  "group.unread": {
    channel_url: string;
    ts: number;
    my: OwnMembership;
  };
  /** The user hid a group on another connection. */
  "group.hidden": {
    channel_url: string;
    ts: number;
    my: OwnMembership;
  };
  /** A hidden group is in the user's list again: by a call on another connection, or by a message. */
  "group.unhidden": {
    channel_url: string;
    ts: number;
    my: OwnMembership;
  };
  /** Members of a group have read further. Sent at most once a second. */
  "group.read": {
    channel_url: string;
    ts: number;
    reads: {
      user_id: string;
      read_at: number;
      /** The message that the member named, if it named one. */
      message_id?: number;
    }[];
  };
  /** Clients of members of a group have received further messages. Sent at most once a second. */
  "group.delivered": {
    channel_url: string;
    ts: number;
    reads: {
      user_id: string;
      read_at: number;
      /** The message that the client named. Absent if the member has read messages without naming one. */
      message_id?: number;
    }[];
  };
  /** The other members of a group who are typing. Sent at most once a second. */
  "group.typing": {
    channel_url: string;
    ts: number;
    /** In the order in which they began. */
    user_ids: string[];
    /** Whether further members are typing. */
    more: boolean;
  };
  /** The connection receives the events of all groups that its user has joined. Sent again after a failure of one of several servers: then call `group.changes`. */
  "group.ready": {
    ts: number;
    /** Begins a list of later changes: `token` of `group.changes`. */
    token: string;
  };
  /** The numbers over all groups of the user have changed. Sent to connections that asked with `group.watch_totals`, at most once in `groups.totals_ms`. */
  "group.totals": {
    ts: number;
    unread_message_count: number;
    unread_mention_count: number;
    unread_channel_count: number;
    invitation_count: number;
    /** The numbers of groups with a custom type, of the types with the most unread messages. */
    by_custom_type: Record<string, {
      unread_message_count: number;
      unread_mention_count: number;
      unread_channel_count: number;
      invitation_count: number;
    }>;
  };
  /** A message was withheld from participants. Sent to observers only, after `message.received`. */
  "message.withheld": {
    channel_url: string;
    ts: number;
    message_id: number;
    /** The number of participants on the observer's server from whom the message was withheld. */
    participants: number;
  };
  /** A message in another channel mentions the user. Large messages have no data, extra data and preview. */
  "mention.received": {
    channel_url: string;
    ts: number;
    message: Message;
  };
  /** The token expires in a minute or less. */
  "session.expiring": {
    ts: number;
    expires_at: number;
  };
  /** A new key for encrypted files. Sent before the previous key expires. */
  "session.file_key": {
    ts: number;
    file_key: FileKey;
  };
  /** The server is about to close the connection. Reconnect after `reconnect_after_ms`. */
  "server.draining": {
    ts: number;
    reconnect_after_ms: number;
  };
}

/** A group channel in an answer. Strangers of a public group get it without `my` and `members`. A super group is without `members`. */
export type GroupView = {
  channel_url: string;
  channel_type: "group_channels";
  name: string;
  cover_url: string;
  data: string;
  custom_type: string;
  is_ephemeral: boolean;
  freeze: boolean;
  /** Whether it is the group of exactly its members. */
  is_distinct: boolean;
  is_public: boolean;
  /** Whether it has room for many members, which are not in `members`. */
  is_super: boolean;
  is_access_code_required: boolean;
  /** Joined and invited members. */
  member_count: number;
  joined_member_count: number;
  created_by: UserReference | null;
  max_length_message: number;
  operators: UserReference[];
  created_at: number;
  last_message: Message | null;
  /** The number of countable messages that the group has ever had. */
  last_ordinal: number;
  epoch: string;
  seq: number;
  my?: OwnMembership;
  members?: Member[];
};

/** A group channel in events. */
export type GroupInfo = {
  channel_url: string;
  channel_type: "group_channels";
  name: string;
  cover_url: string;
  data: string;
  custom_type: string;
  is_ephemeral: boolean;
  freeze: boolean;
  /** Whether it is the group of exactly its members. */
  is_distinct: boolean;
  is_public: boolean;
  /** Whether it has room for many members, which are not in `members`. */
  is_super: boolean;
  is_access_code_required: boolean;
  /** Joined and invited members. */
  member_count: number;
  joined_member_count: number;
  created_by: UserReference | null;
  max_length_message: number;
  operators: UserReference[];
  created_at: number;
};

/** A key for encrypted files, sent as `?auth=` or in the header `Parley-File-Key`. It opens all files that the user may read: send it only to the origin of the connected server or of `features.files.base`. */
export type FileKey = {
  key: string;
  expires_at: number;
};

/** A member of a group. */
export type Member = {
  user_id: string;
  nickname: string;
  profile_url: string;
  state: "joined" | "invited";
  role: "operator" | "none";
  is_muted: boolean;
  /** Whether the user has a session. */
  is_online: boolean;
  /** The time at which the last session of the user ended in Unix milliseconds. 0 if it is online or unknown. */
  last_seen_at: number;
  joined_at: number;
  invited_at: number;
  /** Of a joined member, in groups with read receipts: the `created_at` of the last message that it has read, or 0. */
  read_at?: number;
  /** Of a joined member, in groups with delivery receipts: the `created_at` of the last message that a client of it has received, or 0. */
  delivered_at?: number;
  /** Whether the caller blocks the member. Only in the result of `group.members`. */
  is_blocked_by_me?: boolean;
};

/** A thumbnail of the file of a message. */
export type Thumbnail = {
  url: string;
  /** The media type. Empty, with all numbers 0, for a thumbnail that the sender gave by URL. */
  type: "image/jpeg" | "image/png" | "";
  /** Bytes. */
  size: number;
  /** The width of the requested box. */
  max_width: number;
  max_height: number;
  /** Pixels. */
  real_width: number;
  real_height: number;
};

/** A user in other resources, without its metadata, which `user.get` returns. */
export type UserReference = {
  user_id: string;
  nickname: string;
  profile_url: string;
};

/** An upload of the user. */
export type Upload = {
  file_id: string;
  status: "waiting" | "uploading" | "complete" | "cancelled";
  name: string;
  type: string;
  size: number;
  /** The number of durable bytes. */
  offset: number;
  expires_at: number;
  /** The URL of a complete file. */
  url?: string;
  message_id?: number;
  error?: ErrorDetails;
};

/** The caller as a member. */
export type OwnMembership = {
  state: "joined" | "invited";
  role: "operator" | "none";
  inviter: UserReference | null;
  invited_at: number;
  joined_at: number;
  /** `last_ordinal` of the group when this state was made. A state with a lower one is older. */
  last_ordinal: number;
  /** 0 if the user does not count messages of the group. */
  unread_message_count: number;
  /** Unread messages that mention the user. 0 if the user does not count mentions of the group. */
  unread_mention_count: number;
  /** The ordinal of the last message that the user has read. */
  read_ordinal: number;
  /** The `created_at` of that message in Unix milliseconds. 0 if there is none. */
  read_at: number;
  /** The `created_at` from which messages are visible. 0 for all. */
  visible_from: number;
  hidden_state: "unhidden" | "hidden_allow_auto_unhide" | "hidden_prevent_auto_unhide";
  is_muted: boolean;
  /** Unix milliseconds. 0 if not muted. */
  muted_until: number;
  count_preference: "all" | "unread_message_count_only" | "unread_mention_count_only" | "off";
  /** The messages of the group that are pushed to the user. */
  push_trigger_option: "default" | "all" | "mention_only" | "off";
};

/** The windows that begin on one day of the week. A window may extend over midnight. */
export type DndSchedule = {
  day_of_week: "sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday";
  time_windows: {
    start_hour: number;
    start_min?: number;
    end_hour: number;
    end_min?: number;
  }[];
};

export type ChannelInfo = {
  channel_url: string;
  name: string;
  cover_url: string;
  data: string;
  custom_type: string;
  is_ephemeral: boolean;
  freeze: boolean;
  participant_count: number;
  max_length_message: number;
  operators: UserReference[];
  created_at: number;
};

export type ErrorData = {
  /** The parameter at fault. */
  field?: string;
  /** The time until the same request may succeed. */
  retry_after_ms?: number;
  limit?: number;
  window_ms?: number;
  /** The scope of the limit, such as `user_channel`. */
  scope?: string;
  /** The change may have been made: the storage failed during the commit. */
  outcome?: "unknown";
  /** The cause, if the code does not name it. */
  reason?: string;
  /** The requested languages that the service does not support. */
  unsupported?: string[];
};

export type ErrorDetails = {
  code: number;
  /** An explanation for people. */
  message: string;
  data?: ErrorData;
};

export type GivenMetaarray = {
  key: string;
  value?: string[] | null;
};

export type Message = {
  /** `MESG` is a user message, `FILE` a file message, `ADMM` an admin message, which has no `user`. */
  type: "MESG" | "FILE" | "ADMM";
  message_id: number;
  channel_url: string;
  channel_type: "open_channels" | "group_channels";
  user?: UserReference;
  message: string;
  data: string;
  custom_type: string;
  mention_type: "users" | "channel";
  mentioned_users: UserReference[];
  sorted_metaarray: Metaarray[];
  og_tag: OgTag | null;
  /** Whether a preview is being fetched. Present only in the answer to a send and in its event. */
  og_pending?: true;
  translations: Record<string, string>;
  file: MessageFile | null;
  req_id: string;
  created_at: number;
  updated_at: number;
  /** Counts the messages of a group from 1, without gaps. 0 for a silent message. Absent in open channels. */
  ordinal?: number;
  /** Whether the message is not counted. Absent in open channels. */
  silent?: boolean;
};

export type MessageFile = {
  /** The id of a file stored on the server. Otherwise empty. */
  file_id: string;
  /** Without `files.public_url` the host is that of the request that created the upload. */
  url: string;
  name: string;
  type: string;
  size: number;
  require_auth: boolean;
  /** The thumbnails that could be made, in the requested order. */
  thumbnails: Thumbnail[];
};

export type Metaarray = {
  key: string;
  value: string[];
};

export type OgImage = {
  url: string | null;
  secure_url: string | null;
  type: string | null;
  /** 0 if the page does not give it. */
  width: number;
  /** 0 if the page does not give it. */
  height: number;
  alt: string | null;
  /** The original URL of the image, if `url` is a copy on the gateway. */
  origin_url?: string;
};

export type OgTag = {
  "og:title": string | null;
  "og:url": string | null;
  "og:description": string | null;
  "og:image": OgImage | null;
};

export type PushPreferences = {
  push_trigger_option: "all" | "mention_only" | "off";
  do_not_disturb: boolean;
  start_hour: number;
  start_min: number;
  end_hour: number;
  end_min: number;
  dnd_schedules: DndSchedule[];
  timezone: string;
  snooze_enabled: boolean;
  snooze_start_ts: number;
  snooze_end_ts: number;
  push_sound: string;
  template: "default" | "alternative";
};

export type PushToken = {
  type: "web" | "apns" | "gcm" | "huawei";
  /** The last 8 characters of the token, or of the endpoint. */
  token: string;
  device_id: string;
  created_at: number;
  /** The time of the last push that the service accepted. 0 if there was none. */
  last_success_at: number;
};

export type User = {
  user_id: string;
  nickname: string;
  profile_url: string;
  metadata: Record<string, string>;
};
// end
