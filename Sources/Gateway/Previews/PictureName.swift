import Basics
import Crypto

/// The name of a picture in its address on this server: a code of the address that the page names.
///
/// Only the servers of the deployment can make the code, so nobody else can have them fetch an
/// address of their choice.
struct PictureName: Sendable, Hashable {
  private static let byteCount = 16

  let text: String

  /// Parses the name in an address; any text of its form is one.
  init?(text: String) {
    guard text.utf8.count == 2 * Self.byteCount,
      text.utf8.allSatisfy({
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      })
    else { return nil }
    self.text = text
  }

  /// The name of a picture of an address.
  init?(ofURL url: String, key: [UInt8]) {
    guard let code = HMACSHA256.code(of: Array("parley preview picture \(url)".utf8), under: key)
    else { return nil }
    text = Hexadecimal.encode(Array(code.prefix(Self.byteCount)))
  }

  /// Whether it is the name of a picture of an address; takes equally long for all wrong ones.
  func isName(ofURL url: String, key: [UInt8]) -> Bool {
    PictureName(ofURL: url, key: key).map { ConstantTime.areEqual($0.text, text) } ?? false
  }
}
