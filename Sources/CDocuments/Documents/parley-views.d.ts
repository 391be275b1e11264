/** Types of parley-views.js, the parts of a parley.js client that user interfaces show. */

import type { Channel, Group, GroupInfo, Methods, OwnMembership, Parley, ParleyError, State, User } from "./parley.js";

/** A state that can be observed. Both functions are bound. */
export interface View<Snapshot> {
  /** The present state: the same object until a member has changed. */
  readonly getSnapshot: () => Snapshot;
  /** Calls the listener after each turn that has changed something; returns how to end that. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface ConnectionSnapshot {
  readonly state: State;
  /** When the next attempt to connect is due, in Unix milliseconds. */
  readonly retryAt: number | null;
  readonly error: ParleyError | null;
  readonly user: User | null;
}

export interface ChannelSnapshot {
  /** Null until the channel is entered, and after the end. */
  readonly channel: Channel | null;
  readonly error: ParleyError | null;
}

export interface GroupSnapshot {
  /** Null until the group is there, and after the membership. */
  readonly group: Group | null;
  readonly info: Group["info"] | null;
  readonly error: ParleyError | null;
}

export interface TypingSnapshot {
  /** The ids of other members who are typing. */
  readonly userIds: readonly string[];
}

export interface GroupItem {
  readonly group: Group;
  readonly url: string;
  readonly info: GroupInfo & { my?: OwnMembership };
  readonly unread: number;
  readonly unreadMentions: number;
}

export interface GroupsSnapshot {
  /** The groups that are loaded: those with the latest message first. */
  readonly items: readonly GroupItem[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: ParleyError | null;
}

export interface GroupsView extends View<GroupsSnapshot> {
  /** Lists the next page; failures are in the snapshot. */
  readonly loadMore: () => Promise<void>;
}

type EnterOptions = NonNullable<Parameters<Parley["enter"]>[1]>;
type ListParams = Omit<NonNullable<Methods["group.list"]["params"]>, "members_limit" | "token">;

export declare function connectionOf(parley: Parley): View<ConnectionSnapshot>;
/** Enters a channel for the first listener, and exits after the last one. */
export declare function channelOf(parley: Parley, url: string, options?: EnterOptions): View<ChannelSnapshot>;
export declare function groupOf(parley: Parley, url: string): View<GroupSnapshot>;
/** The user's groups: lists a page for the first listener, and adds those that the user joins or is invited to. */
export declare function groupsOf(parley: Parley, params?: ListParams): GroupsView;
export declare function typingOf(group: Group): View<TypingSnapshot>;
