/// Turns bytes of a page into text and addresses.
struct PageDecoder {
  private let characterSet: CharacterSet
  private let base: WebURL

  /// - Parameter base: What relative addresses are resolved against.
  init(_ characterSet: CharacterSet, base: WebURL) {
    self.characterSet = characterSet
    self.base = base
  }

  /// The text as it was written, references and all.
  func source(_ value: HTMLText) -> String {
    CharacterSetDecoder.decode(value.bytes, as: characterSet)
  }

  /// A text for people; `nil` when nothing is left of it.
  func text(
    _ value: HTMLText, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    PreviewText.make(from: source(value), in: context, limit: limit)
  }

  /// An absolute address, `nil` when it is none of http or https.
  func url(_ value: HTMLText) -> WebURL? {
    // One that was cut short is another one.
    value.isTruncated ? nil : url(source(value))
  }

  /// An absolute address out of text in which references are not decoded yet.
  func url(_ source: String) -> WebURL? {
    WebURL(CharacterReferences.decode(source, in: .attribute), relativeTo: base)
  }
}
