/**
 * Shows the pushes of a Parley gateway as notifications: the service worker for `parley.push.subscribe`.
 *
 * A click brings a page of the worker's scope to the front and posts it `{ type: "parley.open", push }`. Without a page
 * it opens the scope, with the URL of the channel in `?group=`.
 */
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const push = read(event.data);
  // Each push must show something: browsers take the permission away otherwise.
  event.waitUntil(self.registration.showNotification(push.title || "New message", {
    body: push.body ?? "", tag: String(push.message_id ?? "parley"), timestamp: push.ts, data: push,
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data ?? {}));
});

// The browser has replaced the subscription: only a page has a session to register it, now or at its next start.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

function read(data) {
  try {
    return Object(data?.json());
  } catch {
    return {};
  }
}

/** Pages of the scope, the last one in use first, without those of the gateway that are no chat. */
async function pages() {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(self.registration.scope) && !/\/(dashboard|docs)\b/.test(url));
}

async function open(push) {
  const [page] = await pages();
  if (page) return (await page.focus()).postMessage({ type: "parley.open", push });
  const address = new URL(self.registration.scope);
  if (push.channel_url) address.searchParams.set("group", push.channel_url);
  return self.clients.openWindow(address.href);
}

async function renew({ oldSubscription, newSubscription }) {
  const applicationServerKey = oldSubscription?.options.applicationServerKey;
  if (!newSubscription && applicationServerKey) {
    await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  }
  for (const page of await pages()) page.postMessage({ type: "parley.subscribe" });
}
