extension Channel {
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
