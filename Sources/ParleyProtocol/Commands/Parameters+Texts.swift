/// Texts, and the kinds of text that have rules of their own.
extension Parameters {
  /// A text of at most `limit` characters, if given; it may be empty.
  package func text(_ name: String, limit: Int) throws(ServiceError) -> String? {
    guard let node = value(name) else { return nil }
    return try Self.text(node, name, limit: limit)
  }

  /// A text of 1 to `limit` characters, which must be given.
  package func requiredText(_ name: String, limit: Int) throws(ServiceError) -> String {
    guard let text = try text(name, limit: limit), !text.isEmpty else { throw .missing(name) }
    return text
  }

  /// A text of at most `byteLimit` bytes, if given; the application's own.
  package func data(
    _ name: String, byteLimit: Int = Limits.dataByteCount
  ) throws(ServiceError) -> String? {
    guard let node = value(name) else { return nil }
    guard let text = node.string else { throw .notString(name) }
    guard text.utf8.count <= byteLimit else {
      throw .tooLong(name, limit: byteLimit, unit: .bytes)
    }
    return try Self.withoutNUL(node, text, name)
  }

  /// The `channel_url` of a channel, which must be given.
  package func channelURL(_ name: String = "channel_url") throws(ServiceError) -> String {
    guard let url = try optionalChannelURL(name) else { throw .missing(name) }
    return url
  }

  /// A `channel_url`, if given: 4 to 100 characters of `[A-Za-z0-9_-]`.
  package func optionalChannelURL(
    _ name: String = "channel_url"
  ) throws(ServiceError) -> String? {
    guard let node = value(name) else { return nil }
    guard let url = node.string else { throw .notString(name) }
    try ChannelURL.check(url, name)
    return url
  }

  /// The id of a user, which must be given: 1 to 80 characters.
  package func userID(_ name: String = "user_id") throws(ServiceError) -> String {
    try Self.userID(try required(name), name)
  }

  /// The id of a user in `node`; refusals call it `name`.
  static func userID(_ node: JSONNode, _ name: String) throws(ServiceError) -> String {
    guard let id = node.string else { throw .notString(name) }
    try UserID.check(id, name)
    return id
  }

  /// A text in `node`; refusals call it `name`.
  static func text(_ node: JSONNode, _ name: String, limit: Int) throws(ServiceError) -> String {
    guard let text = node.string else { throw .notString(name) }
    // A text has no more characters than bytes, so most need no counting.
    guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
      throw .tooLong(name, limit: limit)
    }
    return try withoutNUL(node, text, name)
  }

  /// U+0000 ends texts in too many other programs, databases among them, to be let through.
  private static func withoutNUL(
    _ node: JSONNode, _ text: String, _ name: String
  ) throws(ServiceError) -> String {
    // Only an escape can have brought it past the reader.
    guard !node.hasEscapes || !text.utf8.contains(0) else {
      throw .character("\u{0}", in: name, allowed: "all but U+0000")
    }
    return text
  }
}
