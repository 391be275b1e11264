/// Reads texts, and the kinds of text that have their own rules.
extension Fields {
  /// An optional text of at most `limit` characters; it may be empty.
  package func text(_ name: String, limit: Int) throws(ServiceError) -> String? {
    try value(name)?.text(name, limit: limit)
  }

  /// An optional text without any checks, which are left to the caller.
  package func string(_ name: String) throws(ServiceError) -> String? {
    try value(name)?.string(name)
  }

  /// A required text of 1 to `limit` characters.
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

  /// The required `channel_url` of a channel.
  package func channelURL(_ name: String = "channel_url") throws(ServiceError) -> String {
    guard let url = try optionalChannelURL(name) else { throw .missing(name) }
    return url
  }

  /// An optional `channel_url`: 4 to 100 characters of `[A-Za-z0-9_-]`.
  package func optionalChannelURL(
    _ name: String = "channel_url"
  ) throws(ServiceError) -> String? {
    guard let url = try value(name)?.string(name) else { return nil }
    try ChannelURL.check(url, name)
    return url
  }

  /// The required id of a user: 1 to 80 characters.
  package func userID(_ name: String = "user_id") throws(ServiceError) -> String {
    try required(name).userID(name)
  }

  /// The optional id of a user.
  package func optionalUserID(_ name: String) throws(ServiceError) -> String? {
    try value(name)?.userID(name)
  }

  /// An optional name of at most `limit` characters that is shown within other text; it may be empty.
  ///
  /// - Throws: 400151 for a character that changes how the surrounding text is shown.
  package func name(_ field: String, limit: Int) throws(ServiceError) -> String? {
    guard let text = try text(field, limit: limit) else { return nil }
    if let scalar = text.unicodeScalars.first(where: \.actsOnItsSurroundings) {
      throw .character(
        scalar, in: field,
        allowed: "all but control characters, line breaks and directional overrides or isolates")
    }
    return text
  }

  /// An optional `http` or `https` URL; it may be empty.
  ///
  /// Clients use these URLs in links and images, so a URL that a browser would run as a script is
  /// refused.
  package func webURL(_ name: String, limit: Int) throws(ServiceError) -> String? {
    guard let url = try text(name, limit: limit) else { return nil }
    if !url.isEmpty { try Self.checkWebURL(url, name) }
    return url
  }

  /// A required `http` or `https` URL.
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
  /// Whether a character affects more than the text that contains it.
  ///
  /// Terminals interpret control characters as commands, and line breaks and directional formatting
  /// affect text outside a name. Joiners and directional marks act only inside it: emoji sequences and
  /// names in right-to-left scripts need them.
  var actsOnItsSurroundings: Bool {
    switch value {
    case 0x00...0x1f, 0x7f...0x9f: true
    case 0x2028...0x2029: true
    case 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
