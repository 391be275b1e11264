/// The way of one channel's events to one URL; what is on it keeps its order.
package struct Lane: Sendable, Hashable {
  /// The URL's place in the list of URLs.
  package var receiver: Int
  package var channelURL: String

  package init(receiver: Int, channelURL: String) {
    self.receiver = receiver
    self.channelURL = channelURL
  }
}

/// What a lane may send now.
package struct Turn: Sendable, Hashable {
  package var lane: Lane
  /// The events after this one,
  package var after: Int64
  /// up to and with this one, or as many of them as one request holds.
  package var through: Int64
  /// Failures of the same before.
  package var failures: Int
}
