import Testing

import Crypto

@Suite("Signing a body")
struct BodySignatureTests {
  @Test("the signature is the HMAC-SHA-256 of RFC 4231, test case 2")
  func example() {
    let value = BodySignature.value(
      of: Array("what do ya want for nothing?".utf8), secret: Array("Jefe".utf8))
    #expect(
      value == "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }
}
