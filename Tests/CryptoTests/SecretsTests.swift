import Crypto
import Testing

@Suite("Random tokens, digests and comparison")
struct SecretsTests {
  @Test("random tokens have the requested length and do not repeat")
  func random() {
    #expect(SecureRandom.bytes(count: 0).isEmpty)
    #expect(SecureRandom.bytes(count: 33).count == 33)
    let tokens = Set((0..<1000).map { _ in SecureRandom.hex(byteCount: 20) })
    #expect(tokens.count == 1000)
    #expect(tokens.allSatisfy { $0.utf8.count == 40 && $0.allSatisfy(\.isHexDigit) })
    #expect(SecureRandom.base64URL(byteCount: 24).utf8.count == 32)
  }

  @Test("a random base64url token never looks like a command-line option")
  func hyphens() {
    let tokens = (0..<2_000).map { _ in SecureRandom.base64URL(byteCount: 3) }
    #expect(tokens.allSatisfy { $0.first != "-" })
    #expect(Set(tokens.compactMap(\.first)).count == 63)
  }

  @Test("digests are SHA-256, checked with the examples of FIPS 180")
  func digest() {
    #expect(
      TokenDigest(of: "abc").hex
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      TokenDigest(of: "").hex
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("a stored digest equals only that of the same token")
  func stored() throws {
    let digest = TokenDigest(of: "token")
    #expect(try #require(TokenDigest(stored: digest.bytes)) == digest)
    #expect(TokenDigest(of: "tokem") != digest)
    #expect(TokenDigest(stored: Array(digest.bytes.dropLast())) == nil)
  }

  @Test("texts are equal if their bytes are")
  func comparison() {
    #expect(ConstantTime.areEqual("", ""))
    #expect(ConstantTime.areEqual("secret", "secret"))
    #expect(!ConstantTime.areEqual("secret", "secreT"))
    #expect(!ConstantTime.areEqual("secret", "secret "))
    #expect(!ConstantTime.areEqual("\u{EB}", "e\u{308}"))
  }
}
