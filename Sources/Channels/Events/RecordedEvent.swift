/// An event of a channel as it was written down.
package struct RecordedEvent: Sendable, Hashable {
  package var kind: EventKind
  /// A JSON object with the event's params beside `channel_url`, `seq`, `ts` and, for events that
  /// show the whole channel, beside `channel`, which the caller has or can look up.
  package var payload: String
  package var seq: Int64
  /// Unix milliseconds.
  package var timestamp: Int64

  package init(kind: EventKind, payload: String, seq: Int64, timestamp: Int64) {
    self.kind = kind
    self.payload = payload
    self.seq = seq
    self.timestamp = timestamp
  }
}
