/// The channel, number and time of an event: the members that precede those of the event itself.
package struct EventOrigin: Sendable, Hashable {
  /// The channel; empty for events of the session and the server, which belong to no channel.
  package var channelURL: String
  /// The event's number in its channel; `nil` unless the event is durable.
  package var seq: Int64?
  /// Unix milliseconds (`ts` on the wire).
  package var timestamp: Int64

  package init(channelURL: String, seq: Int64? = nil, timestamp: Int64) {
    self.channelURL = channelURL
    self.seq = seq
    self.timestamp = timestamp
  }

  /// The origin of an event that belongs to no channel.
  package static func session(at timestamp: Int64) -> EventOrigin {
    EventOrigin(channelURL: "", timestamp: timestamp)
  }

  /// Reads the origin from an event's members.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("event", json)
    self.init(
      channelURL: try reader.optionalText("channel_url"),
      seq: json.present("seq") == nil ? nil : try reader.integer("seq"),
      timestamp: try reader.integer("ts"))
  }

  /// Writes the members.
  func encode(into writer: inout JSONWriter) {
    if !channelURL.isEmpty { writer.member("channel_url", channelURL) }
    if let seq { writer.member("seq", seq) }
    writer.member("ts", timestamp)
  }
}
