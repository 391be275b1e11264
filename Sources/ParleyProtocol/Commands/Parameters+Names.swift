/// Names that are shown in the middle of other text: nicknames, channel names, file names.
extension Parameters {
  /// A name of at most `limit` characters, if given; it may be empty.
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
