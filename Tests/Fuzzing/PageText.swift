import Basics
@testable import LinkPreview

/// Decodes any bytes in every character set, and makes texts for people of them.
///
/// Output is bounded by the input; text that was cleaned is clean; references are decoded once.
enum PageTextHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    let sets = Set(CharacterSetLabels.byLabel.values).sorted { $0.webName < $1.webName }
    let characterSet = sets[Int(choice) % sets.count]
    let text = CharacterSetDecoder.decode(bytes, as: characterSet)
    precondition(text.utf8.count <= 8 * bytes.count + 16, "decoding blows up")
    if bytes.allSatisfy({ $0 < 0x80 }) {
      precondition(text.utf8.elementsEqual(bytes), "ASCII is something else")
    }
    check(text)
    check(String(decoding: bytes, as: UTF8.self))
    _ = CharacterSet(label: bytes)
    _ = CharacterSet(mediaTypeParameter: bytes)
    checkConverters(bytes)
  }

  private static func check(_ text: String) {
    for context in [CharacterReferences.Context.attribute, .text] {
      let decoded = CharacterReferences.decode(text, in: context)
      // The longest expansion: `&nGt;` stands for two characters of three bytes each.
      precondition(decoded.utf8.count <= 2 * text.utf8.count + 8, "references blow up")
      for limit in [0, 1, 7, 1_024] {
        let clean = DisplayText.line(decoded, limit: limit)
        precondition(clean.unicodeScalars.count <= limit, "the limit is exceeded")
        precondition(DisplayText.line(clean, limit: limit) == clean, "clean text is not clean")
        precondition(!clean.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
      }
    }
  }

  private static func checkConverters(_ bytes: [UInt8]) {
    let whole = PixelCount(leadingDigitsOf: String(decoding: bytes.prefix(64), as: UTF8.self))
    precondition(whole.value >= 0)
  }
}
