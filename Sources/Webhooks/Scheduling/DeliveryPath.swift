/// The way of one channel's events to one URL; what is on it keeps its order.
package struct DeliveryPath: Sendable, Hashable {
  /// The URL's place in the list of URLs.
  package var receiver: Int
  package var channelURL: String
}

/// The events that a path may send now.
package struct Turn: Sendable, Hashable {
  package var path: DeliveryPath
  /// The last event that is delivered.
  package var after: Int64
  /// The last event to deliver; one request may not hold them all.
  package var through: Int64
  /// Failures of the same before.
  package var failures: Int
}
