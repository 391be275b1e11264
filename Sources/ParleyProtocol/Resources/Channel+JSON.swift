extension Channel {
  /// Writes the channel as the contract shows it.
  ///
  /// - Parameters:
  ///   - participantCount: How many users are in it at the moment; the record does not know.
  ///   - writer: Where to.
  package func encode(participantCount: Int, into writer: inout JSONWriter) {
    ChannelInfo(self, participantCount: participantCount).encode(into: &writer)
  }

  /// Reads a channel; all but its name on the wire and its time may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("channel", json)
    self.init(
      url: try reader.text("channel_url"), name: try reader.optionalText("name"),
      coverURL: try reader.optionalText("cover_url"), data: try reader.optionalText("data"),
      customType: try reader.optionalText("custom_type"),
      isEphemeral: try reader.claim("is_ephemeral"), isFrozen: try reader.claim("freeze"),
      operators: try reader.users("operators"), createdAt: try reader.integer("created_at"))
  }
}
