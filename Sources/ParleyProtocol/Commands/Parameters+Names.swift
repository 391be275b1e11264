internal import Bytes

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
