/// The path of one channel's events to one URL; events on it keep their order.
package struct DeliveryPath: Sendable, Hashable {
  /// The URL's index in the list of URLs.
  package var receiver: Int
  package var channelURL: String
}

/// The events that a path may send now.
package struct Turn: Sendable, Hashable {
  package var path: DeliveryPath
  /// The last delivered event.
  package var after: Int64
  /// The last event to deliver; one request may not hold them all.
  package var through: Int64
  /// The number of earlier failures of the same events.
  package var failures: Int
}
