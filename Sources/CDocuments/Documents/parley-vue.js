// @ts-self-types="./parley-vue.d.ts"
/**
 * Composables for Vue 3, made from the application's own Vue: no build step, and no second copy of Vue.
 *
 * Types are described in parley-vue.d.ts, use in Browser.md.
 */

import { noMessages, storeOf } from "./parley-store.js";
import { channelOf, connectionOf, groupOf, groupsOf, typingOf } from "./parley-views.js";

const noStore = Object.freeze({ ...noMessages, store: null });
const noTyping = Object.freeze({ userIds: [], typing: () => {} });

export function createComposables({ markRaw, shallowRef, unref, watchEffect }) {
  /** A value, or that of a ref or getter. Classes with private members do not work behind a proxy. */
  const valueOf = (source) => (typeof source === "function" ? source() : unref(source));

  /** A ref with the snapshot of a view; both may change with the refs that `viewOf` reads. */
  function follow(viewOf, none, shown = (snapshot) => snapshot) {
    const state = shallowRef(none);
    watchEffect((onCleanup) => {
      const view = viewOf();
      const show = () => { state.value = view ? markRaw(shown(view.getSnapshot(), view)) : none; };
      if (view) onCleanup(view.subscribe(show));
      show();
    }, { flush: "sync" });
    return state;
  }

  return {
    useConnection: (parley) => follow(() => connectionOf(parley)),
    useChannel: (parley, url, options) => follow(() => channelOf(parley, valueOf(url), options)),
    useGroup: (parley, url) => follow(() => groupOf(parley, valueOf(url))),
    useGroups: (parley, params) => follow(
      () => groupsOf(parley, valueOf(params)), null, (snapshot, { loadMore }) => ({ ...snapshot, loadMore })),
    useMessages: (channel, options) => follow(() => {
      const there = valueOf(channel);
      const store = there && storeOf(there, options);
      store?.begin().catch(() => {});
      return store;
    }, noStore, (snapshot, store) => ({ ...snapshot, store })),
    useTyping: (group) => follow(() => {
      const there = valueOf(group);
      return there && { ...typingOf(there), group: there };
    }, noTyping, ({ userIds }, { group: there }) => ({ userIds, typing: (isTyping) => there.typing(isTyping) })),
  };
}
