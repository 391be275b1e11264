/// A connection's place in a feed.
package final class Subscription {
  /// The index in the buffer's list; changes as others leave.
  var index: Int
  let slot: UInt32
  /// The feed that it is in; `nil` once it has been cancelled.
  weak var feed: BroadcastBuffer?

  init(index: Int, slot: UInt32, feed: BroadcastBuffer) {
    self.index = index
    self.slot = slot
    self.feed = feed
  }

  /// Puts what the subscriber is owed into its connection's queue, so that what is sent to it next
  /// comes behind it.
  package func settle() {
    feed?.settle(self)
  }
}
