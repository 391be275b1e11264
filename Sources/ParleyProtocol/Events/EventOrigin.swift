/// Where and when an event happened: what all events of a channel have in common.
package struct EventOrigin: Sendable, Hashable {
  package var channelURL: String
  /// Unix milliseconds (`ts` on the wire).
  package var timestamp: Int64

  package init(channelURL: String, timestamp: Int64) {
    self.channelURL = channelURL
    self.timestamp = timestamp
  }
}
