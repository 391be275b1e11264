// @ts-self-types="./parley-views.d.ts"
/**
 * The parts of a parley.js client that user interfaces show: each has `subscribe` and `getSnapshot`.
 *
 * Imports nothing. parley-react.js and parley-vue.js are made of them, other frameworks can be. Types and public members
 * are described in parley-views.d.ts, use in Browser.md.
 */

/** Calls `observe(changed)` for the first listener, and what it returned after the last one. */
class View {
  #listeners = new Set();
  #observe;
  #read;
  #snapshot = null;
  #stop = null;
  #willNotify = false;

  constructor(read, observe) {
    this.#read = read;
    this.#observe = observe;
  }

  subscribe = (listener) => {
    this.#listeners.add(listener);
    this.#stop ??= this.#observe(() => this.#changed());
    return () => {
      this.#listeners.delete(listener);
      // Later: components are taken away and put back within a turn.
      setTimeout(() => {
        if (this.#listeners.size > 0) return;
        this.#stop?.();
        this.#stop = null;
      });
    };
  };

  /** The same object until a member has changed. */
  getSnapshot = () => {
    const fresh = this.#read();
    const isSame = this.#snapshot && Object.keys(fresh).every((name) => Object.is(fresh[name], this.#snapshot[name]));
    if (!isSame) this.#snapshot = Object.freeze(fresh);
    return this.#snapshot;
  };

  /** Once for all events of a turn. */
  #changed() {
    if (this.#willNotify) return;
    this.#willNotify = true;
    queueMicrotask(() => {
      this.#willNotify = false;
      for (const listener of [...this.#listeners]) {
        try {
          listener();
        } catch (error) {
          (globalThis.reportError ?? console.error)(error);
        }
      }
    });
  }
}

/** Adds listeners; returns how to remove them. */
function listening(source, names, listener) {
  for (const name of names) source.on(name, listener);
  return () => { for (const name of names) source.off(name, listener); };
}

const caches = new WeakMap();

/** One view for each object and name: all parts of an application share it. */
function shared(object, name, make) {
  if (!caches.has(object)) caches.set(object, new Map());
  const views = caches.get(object);
  if (!views.has(name)) views.set(name, make());
  return views.get(name);
}

export function connectionOf(parley) {
  return shared(parley, "connection", () => new View(
    () => ({ state: parley.state, retryAt: parley.retryAt, error: parley.error, user: parley.user }),
    (changed) => listening(parley, ["state", "session"], changed)));
}

/** Enters for the first listener, and exits after the last one. */
export function channelOf(parley, url, options) {
  return shared(parley, `channel ${url}`, () => {
    let [channel, error] = [null, null];
    // Entering again has to wait for it.
    let exiting = Promise.resolve();
    return new View(() => ({ channel, error }), (changed) => {
      let [isOver, off] = [false, () => {}];
      const fail = (reason) => {
        [channel, error] = [null, reason];
        changed();
      };
      exiting.then(() => (isOver ? null : parley.enter(url, options))).then((entered) => {
        if (!entered) return undefined;
        if (isOver) return entered.exit();
        [channel, error] = [entered, null];
        off = listening(entered, ["left"], (result) => fail(result.error));
        return changed();
      }).catch((reason) => { if (!isOver) fail(reason); });
      return () => {
        isOver = true;
        off();
        if (channel) exiting = channel.exit().catch(() => {});
        [channel, error] = [null, null];
      };
    });
  });
}

export function groupOf(parley, url) {
  return shared(parley, `group ${url}`, () => {
    let [group, error, info] = [null, null, null];
    return new View(() => ({ group, info, error }), (changed) => {
      let [isOver, offs] = [false, []];
      const set = (...values) => {
        [group, info, error] = values;
        changed();
      };
      parley.groups.get(url).then((found) => {
        if (isOver) return;
        set(found, found.info, null);
        offs = [
          listening(found, ["lost"], (result) => set(null, null, result.error)),
          listening(found, ["changed", "member", "recovered", "unread"], () => set(found, found.info, null))];
      }).catch((reason) => { if (!isOver) set(null, null, reason); });
      return () => {
        isOver = true;
        for (const off of offs) off();
      };
    });
  });
}

export function typingOf(group) {
  return shared(group, "typing", () => new View(
    () => ({ userIds: group.typingUsers }), (changed) => listening(group, ["typing"], changed)));
}

/** The groups of the user, those with the latest message first. */
export function groupsOf(parley, params = {}) {
  return shared(parley, `groups ${JSON.stringify(params)}`, () => new GroupsView(parley, params));
}

class GroupsView extends View {
  #parley;
  #params;
  #state = { items: [], hasMore: true, isLoading: false, error: null };
  #next;
  #offs = new Map();
  #changed = () => {};

  constructor(parley, params) {
    super(() => ({ ...this.#state }), (changed) => this.#follow(changed));
    this.#parley = parley;
    this.#params = params;
  }

  loadMore = async () => {
    if (this.#state.isLoading || !this.#state.hasMore) return;
    this.#set({ isLoading: true });
    try {
      const { groups, next } = await this.#parley.groups.list({ ...this.#params, ...(this.#next && { token: this.#next }) });
      this.#next = next;
      for (const group of groups) this.#add(group, false);
      this.#set({ hasMore: next !== "", error: null });
    } catch (error) {
      this.#set({ error });
    } finally {
      this.#set({ isLoading: false });
    }
  };

  #follow(changed) {
    this.#changed = changed;
    // Other groups may have come and gone meanwhile.
    this.#next = undefined;
    this.#set({ items: [], hasMore: true });
    const off = listening(this.#parley, ["group.joined", "group.invited"], async (params) => {
      const users = params.users ?? [params.user];
      if (!users.some(({ user_id: id }) => id === this.#parley.userId)) return;
      try {
        this.#add(await this.#parley.groups.get(params.channel_url), true);
      } catch {
        // The user is no longer in it.
      }
    });
    this.loadMore();
    return () => {
      off();
      for (const offs of this.#offs.values()) offs();
      this.#offs.clear();
    };
  }

  #add(group, isFirst) {
    if (this.#offs.has(group)) return;
    const item = { group, url: group.url, info: group.info, unread: group.unread, unreadMentions: group.unreadMentions };
    const { items } = this.#state;
    this.#set({ items: isFirst ? [item, ...items] : [...items, item] });
    const offs = [
      listening(group, ["unread", "changed", "member", "recovered", "frozen", "unfrozen"], () => this.#renew(group, false)),
      listening(group, ["received"], () => this.#renew(group, true)),
      listening(group, ["lost"], () => {
        this.#offs.get(group)?.();
        this.#offs.delete(group);
        this.#set({ items: this.#state.items.filter((one) => one.group !== group) });
      })];
    this.#offs.set(group, () => { for (const off of offs) off(); });
  }

  #renew(group, isFirst) {
    const item = { group, url: group.url, info: group.info, unread: group.unread, unreadMentions: group.unreadMentions };
    const { items } = this.#state;
    this.#set({
      items: isFirst ? [item, ...items.filter((one) => one.group !== group)]
        : items.map((one) => (one.group === group ? item : one)) });
  }

  #set(change) {
    this.#state = { ...this.#state, ...change };
    this.#changed();
  }
}
