/// Texts, and the kinds of text that have rules of their own.
extension Fields {
  /// A text of at most `limit` characters, if given; it may be empty.
  package func text(_ name: String, limit: Int) throws(ServiceError) -> String? {
    try value(name)?.text(name, limit: limit)
  }

  /// A text as it is, if given; its checks are the caller's.
  package func string(_ name: String) throws(ServiceError) -> String? {
    try value(name)?.string(name)
  }

  /// A text of 1 to `limit` characters, which must be given.
  package func requiredText(_ name: String, limit: Int) throws(ServiceError) -> String {
    guard let text = try text(name, limit: limit), !text.isEmpty else { throw .missing(name) }
    return text
  }

  /// The application's own text, if given.
  package func data(_ name: String) throws(ServiceError) -> String? {
    try value(name)?.data(name, byteLimit: limits.dataByteCount)
  }

  /// `custom_type`, if given.
  package func customType() throws(ServiceError) -> String? {
    try text("custom_type", limit: limits.customTypeLength)
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
    guard let url = try value(name)?.string(name) else { return nil }
    try ChannelURL.check(url, name)
    return url
  }

  /// The id of a user, which must be given: 1 to 80 characters.
  package func userID(_ name: String = "user_id") throws(ServiceError) -> String {
    try required(name).userID(name)
  }

  /// The id of a user, if given.
  package func optionalUserID(_ name: String) throws(ServiceError) -> String? {
    try value(name)?.userID(name)
  }

  /// A name of at most `limit` characters that is shown in the middle of other text, if given; it may
  /// be empty.
  ///
  /// - Throws: 400151 for a character that changes how the text around the name is shown.
  package func name(_ field: String, limit: Int) throws(ServiceError) -> String? {
    guard let text = try text(field, limit: limit) else { return nil }
    if let scalar = text.unicodeScalars.first(where: \.actsOnItsSurroundings) {
      throw .character(
        scalar, in: field,
        allowed: "all but control characters, line breaks and directional overrides or isolates")
    }
    return text
  }

  /// An `http` or `https` URL, if given; it may be empty.
  ///
  /// Clients put these into links and images, so a URL that a browser would run as a script is
  /// refused.
  package func webURL(_ name: String, limit: Int) throws(ServiceError) -> String? {
    guard let url = try text(name, limit: limit) else { return nil }
    if !url.isEmpty { try Self.checkWebURL(url, name) }
    return url
  }

  /// An `http` or `https` URL, which must be given.
  package func requiredWebURL(_ name: String, limit: Int) throws(ServiceError) -> String {
    let url = try requiredText(name, limit: limit)
    try Self.checkWebURL(url, name)
    return url
  }

  private static func checkWebURL(_ url: String, _ name: String) throws(ServiceError) {
    guard let colon = url.firstIndex(of: ":"),
      ["http", "https"].contains(url[..<colon].lowercased()),
      url[colon...].hasPrefix("://"), url[colon...].utf8.count > 3
    else { throw .invalid(name, url, expected: "a URL of http or https") }
  }
}

extension Unicode.Scalar {
  /// Whether a character acts on more than the text that it is in.
  ///
  /// Control characters reach terminals as commands, and line breaks and directional formatting
  /// reach beyond a name. Joiners and directional marks act only inside it: emoji sequences and
  /// names of right-to-left scripts need them.
  var actsOnItsSurroundings: Bool {
    switch value {
    case 0x00...0x1f, 0x7f...0x9f: true
    case 0x2028...0x2029: true
    case 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
