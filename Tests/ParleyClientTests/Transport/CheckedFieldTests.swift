import HTTP
import Testing

@testable import ClientTransport

@Suite("A checked header field")
struct CheckedFieldTests {
  @Test("has the names and values that the server's parser takes")
  func bytes() {
    for byte in UInt8.min ... .max {
      #expect(CheckedField.isTokenByte(byte) == HTTPSyntax.isToken([byte]), "\(byte)")
      guard byte < 0x80 else { continue }
      let value = "a" + String(UnicodeScalar(byte))
      let isAccepted = (try? CheckedField.checked([("X-A", value)])) != nil
      #expect(isAccepted == HTTPSyntax.isFieldByte(byte), "\(byte)")
    }
  }
}
