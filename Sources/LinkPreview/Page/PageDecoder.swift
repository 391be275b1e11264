internal import Basics
import ParleyProtocol

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
    PreviewAddress.make(from: CharacterReferences.decode(source, in: .attribute), base)
  }
}

/// A width or height as pages write them; 0 when it is absent, negative or too large.
struct PixelCount {
  let value: Int32

  /// The digits that a text begins with (`1200px`).
  init(leadingDigitsOf text: String) {
    let digits = text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
    self.init(value: Int32(String(digits)) ?? 0)
  }

  /// A number, a text, or a `QuantitativeValue` of schema.org.
  init(json: JSONNode?) {
    let number = json?["value"] ?? json
    if let text = number?.string {
      self.init(leadingDigitsOf: text)
      return
    }
    // Some write measured sizes, or whole ones with a fraction of zero.
    let pixels = number?.number.flatMap { Int32(exactly: $0.rounded(.down)) }
    self.init(value: max(0, pixels ?? 0))
  }

  private init(value: Int32) { self.value = value }
}

/// The length at which a preview's text is cut, in Unicode scalars.
package enum PreviewLimits {
  /// A title, and a picture's description.
  package static let title = 1_024
  /// A page's description.
  package static let description = 4_096
  /// The type of a picture.
  package static let mediaType = 128
}

/// Addresses out of text of a page.
enum PreviewAddress {
  /// An absolute address of http or https; `nil` for others, and for placeholders.
  static func make(from text: String, _ base: WebURL) -> WebURL? {
    Placeholder.isAddress(Array(text.utf8)) ? nil : WebURL(text, relativeTo: base)
  }
}

/// Text for people out of text of a page.
package enum PreviewText {
  /// References decoded once, then as of ``clean(_:limit:)``.
  static func make(
    from source: String, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    clean(CharacterReferences.decode(source, in: context), limit: limit)
  }

  /// One line of at most `limit` scalars; `nil` when nothing is left to read, or only a placeholder.
  package static func clean(_ text: String, limit: Int) -> String? {
    let text = DisplayText.line(text, limit: limit)
    guard !text.unicodeScalars.allSatisfy(DisplayText.isBlank),
      !Placeholder.isText(Array(text.utf8))
    else { return nil }
    return text
  }
}
