/// Reads a text that is delimited, so that it is a link from end to end or none.
enum WholeLink {
  /// The URL that `text` is: an absolute one, or a bare name with what may follow it.
  ///
  /// Spaces, control characters and backslashes make it none.
  static func url(_ text: LinkText) -> WebURL? {
    guard text.count <= 4 * WebURL.maximumLength,
      !text.scalars.contains(where: { $0.isWhitespace || $0 == "\\" || $0.value == 0x7f })
    else { return nil }
    guard let host = text.webSchemeEnd(at: 0) else { return BareLink.whole(text) }
    return host < text.count && text[host] != "/" ? WebURL(text.string(0..<text.count)) : nil
  }
}
