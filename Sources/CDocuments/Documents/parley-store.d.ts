/** Types of parley-store.js, the messages of a channel or group of parley.js as one ordered list. */

import type { Channel, Group, Message, OutboxEntry, ParleyError } from "./parley.js";

export interface StoreOptions {
  /** The most messages that are kept, 1,000 by default: beyond that the far end is dropped. */
  limit?: number;
  /** The messages of a page, 50 by default. */
  pageSize?: number;
}

/** A message of this client that is not sent, as it was when the snapshot was made. */
export interface PendingMessage extends Pick<OutboxEntry, "id" | "params" | "file" | "createdAt" | "uploaded" | "error"> {
  /** `waiting` for its turn, the connection or its answer; `failed` with `error`. */
  readonly state: "waiting" | "failed";
  retry(): Promise<Message>;
  discard(): void;
}

/** The positions of the other members of a group: `created_at` of the last message by user id. */
export interface Receipts {
  readonly read: Readonly<Record<string, number>>;
  readonly delivered: Readonly<Record<string, number>>;
}

/** The state of a store, which never changes: a change makes another one. */
export interface StoreSnapshot {
  /** A part of the history without gaps, earliest first. */
  readonly messages: readonly Message[];
  /** Messages of this client that are not sent, in the order of their sending; shown after `messages`. */
  readonly pending: readonly PendingMessage[];
  /** Whether there may be messages before the first one. */
  readonly hasEarlier: boolean;
  /** Whether there are messages after the last one: they were dropped, and new ones are not added until `loadLater`. */
  readonly hasLater: boolean;
  readonly isLoading: boolean;
  /** The number of messages that were withheld to keep the channel readable, and not listed since. */
  readonly withheld: number;
  /** As of the group; 0 in channels. */
  readonly unread: number;
  readonly unreadMentions: number;
  /** Empty in channels, and in groups without receipts. */
  readonly receipts: Receipts;
  /** The failure of the last call, until one succeeds. */
  readonly error: ParleyError | null;
  /** Set when the client is no longer in the channel or group: `error` is null after `exit`. */
  readonly ended: { readonly error: ParleyError | null } | null;
}

/**
 * The messages of a channel or group, ordered and without duplicates: pages of the history, new messages, updates and
 * deletions, over reconnections.
 */
export declare class MessageStore {
  /** Listens from here on: create it right after `enter`, `groups.get` or `groups.create`. */
  constructor(channel: Channel | Group, options?: StoreOptions);
  readonly channel: Channel | Group;
  /** Those of the snapshot. */
  readonly messages: readonly Message[];
  /** The present state; the same object until something changes. Bound, as React's `useSyncExternalStore` takes it. */
  readonly getSnapshot: () => StoreSnapshot;
  /** Calls the listener once after each turn that has changed something; returns how to end that. Bound, too. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Lists the page before the first message; the first call lists the latest messages, and the receipts of a group.
   * Calls during one of the same kind join it. All are rejected as `list` is.
   */
  loadEarlier(count?: number): Promise<void>;
  /** The same for the first page only: of no effect once there is one. */
  begin(): Promise<void>;
  /** Lists the page after the last message, where `hasLater`. */
  loadLater(count?: number): Promise<void>;
  /** Begins again with the latest messages. */
  loadLatest(): Promise<void>;
  /** Adds the messages that were withheld. */
  loadWithheld(): Promise<void>;
  /** Lists the loaded part again. The store does so by itself when events were missed. */
  refresh(): Promise<void>;
  /** The ids of the other members that have read a message, as far as receipts are known. */
  readBy(message: Pick<Message, "created_at" | "user">): string[];
  /** The ids of the other members whose clients have received a message. */
  deliveredTo(message: Pick<Message, "created_at" | "user">): string[];
  /** Stops listening. The end of the channel does so, too. */
  close(): void;
}

/** The snapshot before the first page, for a channel that is not there yet. */
export declare const noMessages: StoreSnapshot;

/** The store that all parts of an application share: made by the first call, with its options, until it ends. */
export declare function storeOf(channel: Channel | Group, options?: StoreOptions): MessageStore;

/** A page on its way. */
export interface ListPage {
  readonly floor: number | null;
}

/** The order of a store alone, for clients that make their own calls. Positions are message ids. */
export declare class MessageList {
  constructor(limit?: number);
  readonly messages: readonly Message[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
  /** Everything after it is known: null before the first page, 0 at the beginning of the history. */
  readonly floor: number | null;
  /** Everything before it is known; `Infinity` at the live end. */
  readonly ceiling: number;
  readonly limit: number;
  receive(message: Message): void;
  update(message: Message): void;
  delete(messageId: number): void;
  /** Begins a page, before its call is made; one of the following ends it. */
  begin(): ListPage;
  cancel(page: ListPage): void;
  addEarlier(page: ListPage, messages: readonly Message[], floor: number): void;
  addLater(page: ListPage, messages: readonly Message[], ceiling: number): void;
  fill(page: ListPage, messages: readonly Message[]): void;
  replace(page: ListPage, messages: readonly Message[], floor: number, ceiling: number): void;
  clear(): void;
}
