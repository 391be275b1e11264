import Basics
import Crypto

/// The name of a picture in its address on this server: a code of the original URL from the page.
///
/// Only the servers of the deployment can compute the code, so clients cannot make them fetch arbitrary
/// URLs.
struct PictureName: Sendable, Hashable {
  private static let byteCount = 16

  let text: String

  /// Parses the name in an address.
  ///
  /// Accepts any text of the right form.
  init?(text: String) {
    guard text.utf8.count == 2 * Self.byteCount,
      text.utf8.allSatisfy({
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      })
    else { return nil }
    self.text = text
  }

  /// Computes the name of the picture at a URL.
  init?(ofURL url: String, key: [UInt8]) {
    guard let code = HMACSHA256.code(of: Array("parley preview picture \(url)".utf8), under: key)
    else { return nil }
    text = Hexadecimal.encode(Array(code.prefix(Self.byteCount)))
  }

  /// Returns whether this is the name of the picture at a URL.
  ///
  /// Takes the same time for all wrong names.
  func isName(ofURL url: String, key: [UInt8]) -> Bool {
    PictureName(ofURL: url, key: key).map { ConstantTime.areEqual($0.text, text) } ?? false
  }
}
