internal import Basics
import ParleyProtocol

/// Converts bytes of a page into text and addresses.
struct PageDecoder {
  private let characterSet: CharacterSet
  private let base: WebURL

  /// - Parameter base: The base for relative addresses.
  init(_ characterSet: CharacterSet, base: WebURL) {
    self.characterSet = characterSet
    self.base = base
  }

  /// Returns the text as written, including references.
  func source(_ value: HTMLText) -> String {
    CharacterSetDecoder.decode(value.bytes, as: characterSet)
  }

  /// Returns a display text; `nil` if nothing is left of it.
  func text(
    _ value: HTMLText, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    PreviewText.make(from: source(value), in: context, limit: limit)
  }

  /// Returns an absolute address; `nil` if it is not http or https.
  func url(_ value: HTMLText) -> WebURL? {
    // A truncated address is a different one.
    value.isTruncated ? nil : url(source(value))
  }

  /// Returns an absolute address from text with undecoded references.
  func url(_ source: String) -> WebURL? {
    PreviewAddress.make(from: CharacterReferences.decode(source, in: .attribute), base)
  }
}

/// A width or height as written in pages; 0 if it is absent, negative or too large.
struct PixelCount {
  let value: Int32

  /// Parses the digits at the start of a text (`1200px`).
  init(leadingDigitsOf text: String) {
    let digits = text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
    self.init(value: Int32(String(digits)) ?? 0)
  }

  /// Parses a number, a text, or a schema.org `QuantitativeValue`.
  init(json: JSONNode?) {
    let number = json?["value"] ?? json
    if let text = number?.string {
      self.init(leadingDigitsOf: text)
      return
    }
    // Some pages contain measured sizes, or integers with a fraction of zero.
    let pixels = number?.number.flatMap { Int32(exactly: $0.rounded(.down)) }
    self.init(value: max(0, pixels ?? 0))
  }

  private init(value: Int32) { self.value = value }
}

/// The length limits of a preview's texts, in Unicode scalars.
package enum PreviewLimits {
  /// A title, and a picture's description.
  package static let title = 1_024
  /// A page's description.
  package static let description = 4_096
  /// The type of a picture.
  package static let mediaType = 128
}

/// Parses addresses in a page's text.
enum PreviewAddress {
  /// Returns an absolute http or https address; `nil` for others, and for placeholders.
  static func make(from text: String, _ base: WebURL) -> WebURL? {
    Placeholder.isAddress(Array(text.utf8)) ? nil : WebURL(text, relativeTo: base)
  }
}

/// Creates display text from a page's text.
package enum PreviewText {
  /// Decodes references once, then cleans the text as ``clean(_:limit:)`` does.
  static func make(
    from source: String, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    clean(CharacterReferences.decode(source, in: context), limit: limit)
  }

  /// Returns one line of at most `limit` scalars; `nil` if nothing, or only a placeholder, is left.
  package static func clean(_ text: String, limit: Int) -> String? {
    let text = DisplayText.line(text, limit: limit)
    guard !text.unicodeScalars.allSatisfy(DisplayText.isBlank),
      !Placeholder.isText(Array(text.utf8))
    else { return nil }
    return text
  }
}
