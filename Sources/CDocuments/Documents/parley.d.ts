/** Types of parley.js, a client of the Parley gateway for browsers, Node and Deno. */

/** A refusal of the server, or with `code` 0 one of the library. */
export declare class ParleyError extends Error {
  constructor(code: number, message: string, data?: ErrorData & Record<string, unknown>);
  /** A code of the protocol; 0 for the library's own. */
  readonly code: number;
  /**
   * The cause. With `code` 0, `reason` is `lost` (the connection ended before the answer came),
   * `closed`, `left` (not in the channel), `cancelled`, `upload` (`status` has the answer of HTTP),
   * `unknown` (a message may have been sent), or `failed` (`cause` is an error that is not the
   * library's). `close` is the close code of the connection.
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
  /** An access token, or a function that fetches one; it is called again when a token is refused. */
  token?: string | (() => string | Promise<string>);
  nickname?: string;
  profileUrl?: string;
  /** Keeps messages that were not sent in IndexedDB, so that a reload neither loses nor doubles them. */
  outbox?: "persistent";
}

interface CommonOptions {
  /** A constructor like the browser's, where there is no global one. */
  WebSocket?: new (url: string, protocol: string) => unknown;
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

/** A session with a gateway that is kept open, with its channels. */
export declare class Parley {
  /** Connects at once; `url` is the gateway's address, by default the page's own origin. */
  constructor(url: string | URL | undefined, options: ParleyOptions);
  readonly outbox: Outbox;
  readonly state: State;
  readonly retryAt: number | null;
  readonly error: ParleyError | null;
  readonly session: Methods["session.open"]["result"] | null;
  readonly user: User | null;
  readonly userId: string | undefined;
  readonly channels: Channel[];
  /** Connects now, after a final end too; resolves when the session is open. */
  connect(): Promise<Methods["session.open"]["result"]>;
  /**
   * Ends the session until `connect`. Messages that wait fail; those of a persistent outbox stay on
   * disk, and leave `entries`.
   */
  close(): void;
  /** Makes a call of the protocol as soon as the session is open. */
  call<Name extends keyof Methods>(
    method: Name, ...rest: Arguments<Methods[Name]["params"]>
  ): Promise<Methods[Name]["result"]>;
  /**
   * Enters a channel, and enters it again after each reconnection until `exit`.
   *
   * `create` makes a missing channel, with these members if it is an object; `recover` is the
   * `position` of an earlier entering.
   */
  enter(url: string, options?: {
    create?: boolean | Omit<Methods["channel.create"]["params"], "channel_url">;
    recover?: Position;
  }): Promise<Channel>;
  /** The address of a message's file or thumbnail, with this user's key where it needs one; or "". */
  fileURL(file: MessageFile, part?: MessageFile | Thumbnail): string;
  on<Name extends keyof (ParleyEvents & ServerEvents)>(
    name: Name, listener: (...values: (ParleyEvents & ServerEvents)[Name]) => void): this;
  off<Name extends keyof (ParleyEvents & ServerEvents)>(
    name: Name, listener: (...values: (ParleyEvents & ServerEvents)[Name]) => void): this;
}

/** How far a channel's events were seen. */
export interface Position {
  epoch: string;
  seq: number;
}

type MessageEvent<Name extends keyof Events> = Events[Name] & { own?: true };

export interface ChannelEvents {
  /** A message was sent; `own` in `params` marks those of this client. Each message comes once. */
  received: [message: Message, params: MessageEvent<"message.received">];
  updated: [message: Message, params: Events["message.updated"]];
  deleted: [messageId: number, params: Events["message.deleted"]];
  /** For observers: a message was withheld from `participants` of the channel. */
  withheld: [messageId: number, params: Events["message.withheld"]];
  /** Messages were withheld to keep the channel readable; they can be listed. */
  throttled: [params: Events["channel.throttled"]];
  changed: [params: Events["channel.changed"]];
  frozen: [params: Events["channel.frozen"]];
  unfrozen: [params: Events["channel.unfrozen"]];
  muted: [params: Events["channel.user_muted"]];
  unmuted: [params: Events["channel.user_unmuted"]];
  banned: [params: Events["channel.user_banned"]];
  unbanned: [params: Events["channel.user_unbanned"]];
  operators_changed: [params: Events["channel.operators_changed"]];
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

type ChannelProtocolEvents = {
  [Name in keyof Events as Name extends `${"message" | "channel"}.${string}` ? Name : never]: [params: Events[Name]]
};
type AllChannelEvents = ChannelEvents & ChannelProtocolEvents;

/** A channel that the client is in. */
export declare class Channel {
  private constructor();
  readonly url: string;
  /** The channel as last described by the server. */
  readonly info: ChannelInfo;
  readonly participantCount: number;
  readonly position: Position | null;
  /** Whether the connection is in the channel now. */
  readonly isEntered: boolean;
  /** Makes a call about this channel. */
  call<Name extends keyof Methods>(
    method: Name, ...rest: Arguments<Omit<Methods[Name]["params"], "channel_url">>
  ): Promise<Methods[Name]["result"]>;
  /**
   * Sends a text, or what `message.send` takes; resolves with the message when it is durable.
   *
   * A patient one waits while the user sends too much, and those behind it wait with it.
   */
  send(
    message: string | Omit<Methods["message.send"]["params"], "channel_url">,
    options?: { patient?: boolean },
  ): Promise<Message>;
  /** Uploads files one after another and sends each as a message. */
  sendFiles<Content extends Blob>(files: Iterable<Content> | ArrayLike<Content>, options?: {
    /** Boxes of width and height, such as `[[320, 240]]`. */
    thumbnailSizes?: [number, number][];
    progress?: (file: Content, sent: number, total: number) => void;
    signal?: AbortSignal;
    /** Further members of `message.send`. */
    params?: Partial<Omit<Methods["message.send"]["params"], "channel_url">>;
  }): Promise<Message[]>;
  exit(): Promise<void>;
  on<Name extends keyof AllChannelEvents>(
    name: Name, listener: (...values: AllChannelEvents[Name]) => void): this;
  off<Name extends keyof AllChannelEvents>(
    name: Name, listener: (...values: AllChannelEvents[Name]) => void): this;
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
/** What each method takes and answers. */
export interface Methods {
  /** Opens the session; must be the first request. */
  "session.open": {
    params: {
      user_id?: string;
      /** Opens the session of an observer, in place of `user_id`, which is required without it; from the Platform API, good once. */
      ticket?: string | null;
      /** Issued by the Platform API, or a JSON Web Token whose `sub` is the user; not looked at with `auth.mode = open`. */
      access_token?: string | null;
      nickname?: string | null;
      profile_url?: string | null;
    };
    result: {
      session_id: string;
      /** Absent for users, whose sessions have `user`. */
      is_observer?: true;
      user?: User;
      server: {
        name: string;
        version: string;
      };
      limits: {
        message_bytes: number;
        flood: {
          messages: number;
          window_ms: number;
        };
      };
      ping_interval_ms: number;
      /** What this server can do; a member is absent when it is off. */
      features: {
        files?: {
          max_bytes: number;
          tus: "1.0.0";
        };
        thumbnails?: {
          sizes: number;
          types: string[];
        };
        translation?: {
          languages: string[];
          per_message: number;
        };
        /** Links of messages are looked up, and `preview.fetch` answers. */
        previews?: true;
      };
      file_key?: FileKey;
    };
  };
  /** Goes on with another access token. */
  "session.refresh": {
    params: {
      access_token: string;
    };
    result: {
      file_key?: FileKey;
    };
  };
  /** Asks for the server's time, and shows that the client is there. */
  "session.ping": {
    params: Record<string, unknown>;
    result: {
      time: number;
    };
  };
  /** Closes with 1000 when all is answered. */
  "session.close": {
    params: Record<string, unknown>;
    result: Record<string, unknown>;
  };
  /** Reads a user with its metadata, which messages and channels do not show. */
  "user.get": {
    params: {
      user_id: string;
    };
    result: {
      user: User;
    };
  };
  /** Changes the user's own profile; `metadata` replaces all of it and holds at most 4,096 bytes, keys and values together. */
  "user.update": {
    params: {
      nickname?: string | null;
      profile_url?: string | null;
      metadata?: Record<string, string | null> | null;
    };
    result: {
      user: User;
    };
  };
  /** Makes a channel, whose first operator is the creator. */
  "channel.create": {
    params: {
      /** Made by the server when absent. */
      channel_url?: string | null;
      name?: string | null;
      cover_url?: string | null;
      /** At most 16,384 bytes; the server does not look inside. */
      data?: string | null;
      custom_type?: string | null;
      operator_ids?: string[] | null;
      /** Keeps no messages. */
      is_ephemeral?: boolean | null;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Tells of a channel. */
  "channel.get": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Lists channels, newest first. */
  "channel.list": {
    params: {
      /** Ignores case. */
      name_contains?: string | null;
      url_contains?: string | null;
      custom_types?: string[] | null;
      show_frozen?: boolean | null;
      limit?: number | null;
      /** `next` of the page before; empty for the first. */
      token?: string | null;
    };
    result: {
      channels: ChannelInfo[];
      next: string;
    };
  };
  /** Changes what is given; operators only. */
  "channel.update": {
    params: {
      channel_url: string;
      name?: string | null;
      cover_url?: string | null;
      /** At most 16,384 bytes; the server does not look inside. */
      data?: string | null;
      custom_type?: string | null;
      operator_ids?: string[] | null;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Deletes the channel with all that is in it; operators only. */
  "channel.delete": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Enters, or asks anew when inside; with `recover`, for what was missed. */
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
      /** Whole notifications, in order; the last is channel.throttled when messages among them were withheld. */
      events: { [Name in keyof Events]: { method: Name; params: Events[Name] } }[keyof Events][];
    };
  };
  /** Leaves the channel. */
  "channel.exit": {
    params: {
      channel_url: string;
    };
    result: Record<string, unknown>;
  };
  /** Lists who is inside, in the order of entering. */
  "channel.participants": {
    params: {
      channel_url: string;
      limit?: number | null;
      /** `next` of the page before; empty for the first. */
      token?: string | null;
    };
    result: {
      participants: UserReference[];
      next: string;
    };
  };
  /** Lets only operators send; operators only. */
  "channel.freeze": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Lets everyone send again; operators only. */
  "channel.unfreeze": {
    params: {
      channel_url: string;
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Keeps a user from sending; operators only. */
  "channel.mute": {
    params: {
      channel_url: string;
      user_id: string;
      /** 1 or more, or -1 for ten years; not 0. */
      seconds?: number | null;
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lifts a mute; operators only. */
  "channel.unmute": {
    params: {
      channel_url: string;
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Puts a user out and keeps it out; operators only. */
  "channel.ban": {
    params: {
      channel_url: string;
      user_id: string;
      /** 1 or more, or -1 for ten years; not 0. */
      seconds?: number | null;
      description?: string | null;
    };
    result: Record<string, unknown>;
  };
  /** Lifts a ban; operators only. */
  "channel.unban": {
    params: {
      channel_url: string;
      user_id: string;
    };
    result: Record<string, unknown>;
  };
  /** Makes users operators; operators only. */
  "channel.add_operators": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Takes the role back; operators only. */
  "channel.remove_operators": {
    params: {
      channel_url: string;
      user_ids: string[];
    };
    result: {
      channel: ChannelInfo;
    };
  };
  /** Makes an upload; its address takes the bytes over HTTP. */
  "file.create": {
    params: {
      /** Bytes of the file. */
      size: number;
      /** Kept without folders and characters that act on other text. */
      name?: string | null;
      /** The media type. */
      type?: string | null;
      /** Repeated within ten minutes, the same upload is answered with its address, or 400201 when it is gone. */
      req_id?: string | null;
      thumbnail_sizes?: {
        max_width: number;
        max_height: number;
      }[] | null;
      /** Whether the file is encrypted and needs a key. */
      require_auth?: boolean | null;
      /** The parameters of `message.send` without `url` and `file_id`: the server sends the message when the upload is complete. */
      message?: {
        channel_url: string;
      } | null;
    };
    result: {
      file: Upload;
      /** Takes the bytes by PUT, or by tus 1.0.0; a secret. */
      upload_url: string;
    };
  };
  /** Reads an upload of the user, complete or not. */
  "file.get": {
    params: {
      file_id: string;
    };
    result: {
      file: Upload;
    };
  };
  /** Lists the user's uploads that are not complete, or whose file is in no message, newest first. */
  "file.list": {
    params: {
      limit?: number | null;
      /** `next` of the page before; empty for the first. */
      token?: string | null;
    };
    result: {
      files: Upload[];
      next: string;
    };
  };
  /** Cancels an upload that is not complete. */
  "file.cancel": {
    params: {
      file_id: string;
    };
    result: {
      /** False when it was over before, or is unknown. */
      cancelled: boolean;
    };
  };
  /** Returns the preview of a page, outside of messages; later calls overtake it. */
  "preview.fetch": {
    params: {
      /** A link, as in a message. */
      url: string;
      /** `unfurl.timeout_ms` unless given. */
      timeout_ms?: number | null;
      /** The name by which `preview.cancel` finds the fetch. */
      fetch_id?: string | null;
    };
    result: {
      /** The link in its normal form. */
      url: string;
      og_tag: OgTag | null;
      site_name: string | null;
      /** Whether the answer was known before. */
      cached: boolean;
      /** The failure; null with a preview and for a page that offers none. */
      problem: {
        kind: "cancelled" | "failed" | "timed_out" | "unknown";
        message: string;
      } | null;
    };
  };
  /** Ends a fetch of the same connection. */
  "preview.cancel": {
    params: {
      fetch_id: string;
    };
    result: {
      /** False when it was over before, or is unknown. */
      cancelled: boolean;
    };
  };
  /** Sends a message; answered when it is durable. */
  "message.send": {
    params: {
      message_type?: "MESG" | null | "FILE";
      message?: string | null;
      /** Where the file is to be had. */
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
      require_auth?: boolean | null;
      channel_url: string;
      /** A send repeated with it within ten minutes is answered with the first message. */
      req_id?: string | null;
      custom_type?: string | null;
      /** At most 16,384 bytes; the server does not look inside. */
      data?: string | null;
      mention_type?: "users" | "channel" | null;
      mentioned_user_ids?: string[] | null;
      metaarray?: GivenMetaarray[] | null;
      translation_target_langs?: string[] | null;
      /** Accepted without effect. */
      push_option?: "default" | "suppress" | null;
    };
    result: {
      message: Message;
      seq: number;
    };
  };
  /** Sends file messages; each is judged by itself, in their order. */
  "message.send_files": {
    params: {
      channel_url: string;
      files: Record<string, unknown>[];
    };
    result: {
      results: ({
        /** The message; only its id where the answer has no room for more. */
        message: Record<string, unknown>;
        seq: number;
      } | {
        error: ErrorDetails;
      })[];
    };
  };
  /** Changes what is given; authors and operators. */
  "message.update": {
    params: {
      channel_url: string;
      message_id: number;
      message?: string | null;
      /** At most 16,384 bytes; the server does not look inside. */
      data?: string | null;
      custom_type?: string | null;
      mention_type?: "users" | "channel" | null;
      mentioned_user_ids?: string[] | null;
    };
    result: {
      message: Message;
    };
  };
  /** Deletes a message; authors and operators. */
  "message.delete": {
    params: {
      channel_url: string;
      message_id: number;
    };
    result: Record<string, unknown>;
  };
  /** Tells of a message. */
  "message.get": {
    params: {
      channel_url: string;
      message_id: number;
    };
    result: {
      message: Message;
    };
  };
  /** Lists messages around a place, now unless one is given. */
  "message.list": {
    params: {
      channel_url: string;
      /** Decides when above 0. */
      message_id?: number | null;
      message_ts?: number | null;
      prev_limit?: number | null;
      next_limit?: number | null;
      /** The message at the place itself, too. */
      include?: boolean | null;
      reverse?: boolean | null;
      message_type?: "MESG" | "FILE" | "ADMM" | null;
      custom_types?: string[] | null;
      sender_ids?: string[] | null;
    };
    result: {
      messages: Message[];
      /** Whether more messages may lie before these. A page ends early at 512 KiB or after `limits.query_ms`. */
      has_previous: boolean;
      /** Whether more messages may lie after these. */
      has_next: boolean;
      /** The `message_id` to list the messages before these, with `include` false; 0 when there are none. */
      previous_from: number;
      /** The `message_id` to list the messages after these, with `include` false; 0 when there are none. */
      next_from: number;
    };
  };
  /** Adds keys to a message's extra data; authors and operators. */
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
  /** Removes keys with their values; authors and operators. */
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
  /** Adds values to keys; participants. Missing keys are created for authors and operators. */
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
  /** Removes values from keys; participants. */
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
  /** Adds languages to a user's message: stored, and sent to all others as an update. */
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

/** What each event brings. */
export interface Events {
  /** A message was sent. */
  "message.received": {
    channel_url: string;
    seq: number;
    ts: number;
    message: Message;
  };
  /** A message was changed, by a user or by the server (a preview). Its newest state, at most five times a second; `seq` may be smaller than that of events before it. */
  "message.updated": {
    channel_url: string;
    seq: number;
    ts: number;
    message: Message;
  };
  /** A message was deleted. */
  "message.deleted": {
    channel_url: string;
    seq: number;
    ts: number;
    message_id: number;
  };
  /** A channel's name, cover, data or type changed. */
  "channel.changed": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo;
  };
  /** A channel was deleted; everyone is out. */
  "channel.deleted": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo;
  };
  /** Only operators may send from now on. */
  "channel.frozen": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo;
  };
  /** Everyone may send again. */
  "channel.unfrozen": {
    channel_url: string;
    seq: number;
    ts: number;
    channel: ChannelInfo;
  };
  /** A user was muted. */
  "channel.user_muted": {
    channel_url: string;
    seq: number;
    ts: number;
    user: UserReference;
    /** What it came to; 315,360,000 stands for ten years. */
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
    /** What it came to; 315,360,000 stands for ten years. */
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
  /** These are the operators now. */
  "channel.operators_changed": {
    channel_url: string;
    seq: number;
    ts: number;
    operators: UserReference[];
  };
  /** A user came in with its first connection; at most once a second for each user. */
  "channel.user_entered": {
    channel_url: string;
    ts: number;
    user: UserReference;
    participant_count: number;
  };
  /** A user left with its last connection; at most once a second for each user. */
  "channel.user_exited": {
    channel_url: string;
    ts: number;
    user: UserReference;
    participant_count: number;
  };
  /** How many are inside; in large channels, at most once a second. */
  "channel.participant_count": {
    channel_url: string;
    ts: number;
    participant_count: number;
  };
  /** Messages were withheld; they can be listed. */
  "channel.throttled": {
    channel_url: string;
    ts: number;
    withheld: number;
    first_message_id: number;
    last_message_id: number;
  };
  /** A message was withheld from participants; for observers only, after its message.received. */
  "message.withheld": {
    channel_url: string;
    ts: number;
    message_id: number;
    /** Of those on the observer's server. */
    participants: number;
  };
  /** A message elsewhere mentions the user. A large one comes without data, extra data and preview. */
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
  /** Another key for encrypted files, before the last one ends. */
  "session.file_key": {
    ts: number;
    file_key: FileKey;
  };
  /** The server is about to close: come back after the wait. */
  "server.draining": {
    ts: number;
    reconnect_after_ms: number;
  };
}

/** A small picture of a message's file. */
export type Thumbnail = {
  url: string;
  /** Empty, and the numbers 0, for a picture that the sender named by its address. */
  type: "image/jpeg" | "image/png" | "";
  /** Bytes. */
  size: number;
  /** As asked for. */
  max_width: number;
  max_height: number;
  /** Pixels. */
  real_width: number;
  real_height: number;
};

/** A user as other resources show it; `user.get` has its metadata. */
export type UserReference = {
  user_id: string;
  nickname: string;
  profile_url: string;
};

/** An upload of the user's. */
export type Upload = {
  file_id: string;
  status: "waiting" | "uploading" | "complete" | "cancelled";
  name: string;
  type: string;
  size: number;
  /** Bytes that are durable. */
  offset: number;
  expires_at: number;
  /** Of a complete file. */
  url?: string;
  message_id?: number;
  error?: ErrorDetails;
};

/** Opens encrypted files: `?auth=` or the field `Parley-File-Key`. */
export type FileKey = {
  key: string;
  expires_at: number;
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
  /** When the same request may succeed. */
  retry_after_ms?: number;
  limit?: number;
  window_ms?: number;
  /** What the limit is counted for, such as `user_channel`. */
  scope?: string;
  /** The change may have been made: the storage broke off while committing. */
  outcome?: "unknown";
  /** The cause that the code does not name. */
  reason?: string;
  /** The languages that the translator lacks. */
  unsupported?: string[];
};

export type ErrorDetails = {
  code: number;
  /** For people. */
  message: string;
  data?: ErrorData;
};

export type GivenMetaarray = {
  key: string;
  value?: string[] | null;
};

export type Message = {
  /** User message, file message, admin message; the last has no `user`. */
  type: "MESG" | "FILE" | "ADMM";
  message_id: number;
  channel_url: string;
  channel_type: "open_channels";
  user?: UserReference;
  message: string;
  data: string;
  custom_type: string;
  mention_type: "users" | "channel";
  mentioned_users: UserReference[];
  sorted_metaarray: Metaarray[];
  og_tag: OgTag | null;
  /** A preview is looked for; in the answer to a send and its event alone. */
  og_pending?: true;
  translations: Record<string, string>;
  file: MessageFile | null;
  req_id: string;
  created_at: number;
  updated_at: number;
};

export type MessageFile = {
  /** Empty for a file that is somewhere else. */
  file_id: string;
  url: string;
  name: string;
  type: string;
  size: number;
  require_auth: boolean;
  /** Those that were made, in the order in which they were asked for. */
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
  /** 0 when the page does not say. */
  width: number;
  /** 0 when the page does not say. */
  height: number;
  alt: string | null;
  /** The page's own address, when `url` is that of a copy on the gateway. */
  origin_url?: string;
};

export type OgTag = {
  "og:title": string | null;
  "og:url": string | null;
  "og:description": string | null;
  "og:image": OgImage | null;
};

export type User = {
  user_id: string;
  nickname: string;
  profile_url: string;
  metadata: Record<string, string>;
};
// end
