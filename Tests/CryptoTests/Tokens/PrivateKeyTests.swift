import Basics
import Crypto
import Foundation
import Testing

@testable import ParleyProtocol

@Suite("Private keys that sign tokens")
struct PrivateKeyTests {
  private func payload(of token: String, publicKey: String) throws -> String {
    let verifier = try TokenVerifier(publicKeyPEM: publicKey)
    return String(decoding: try verifier.verifiedPayload(of: CompactToken(token)), as: UTF8.self)
  }

  @Test("tokens verify with the public key", arguments: [Keys.p256, Keys.rsa])
  func verifies(pair: Keys.Pair) throws {
    let key = try PrivateKey(pem: pair.privateKey, from: "test")
    #expect(key.algorithm == pair.algorithm)
    // Signatures of ES256 differ each time, and their numbers have leading zeros now and then.
    for number in 0..<50 {
      let token = try #require(
        SignedToken.make(signedBy: key, keyID: "k1") { $0.member("iat", number) })
      #expect(try payload(of: token, publicKey: pair.publicKey) == #"{"iat":\#(number)}"#)
      let header = try #require(Base64URL.decode(token.utf8.prefix { $0 != 0x2e }))
      let expected = #"{"typ":"JWT","alg":"\#(pair.algorithm)","kid":"k1"}"#
      #expect(String(decoding: header, as: UTF8.self) == expected)
    }
  }

  @Test("a generated key is written and read again")
  func generated() throws {
    let key = PrivateKey.generateP256()
    let copy = try PrivateKey(pem: key.pem, from: "copy")
    let point = try #require(key.publicPoint)
    #expect(point.count == 65 && point.first == 4)
    #expect(copy.publicPoint == point)
    #expect(PrivateKey.generateP256().publicPoint != point)
    // The public key of a point, as RFC 5480 writes it.
    let prefix = try #require(
      Base64.decode("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE").map { Array($0.dropLast()) })
    let publicKey = """
      -----BEGIN PUBLIC KEY-----
      \(Base64.encode(prefix + point))
      -----END PUBLIC KEY-----
      """
    let token = try #require(SignedToken.make(signedBy: copy) { $0.member("a", true) })
    #expect(try payload(of: token, publicKey: publicKey) == #"{"a":true}"#)
  }

  @Test("keys of other kinds are refused, with the reason", arguments: [Keys.p384, Keys.shortRSA])
  func otherKinds(pem: String) throws {
    let error = #expect(throws: TokenKeyError.self) { try PrivateKey(pem: pem, from: "key.p8") }
    guard case .unsupportedKey("key.p8", let reason) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(reason.contains(pem == Keys.p384 ? "P-256" : "2048"))
  }

  @Test(
    "no key is found in other texts",
    arguments: [
      "", "hello", Keys.encrypted, Keys.p256.publicKey, String(Keys.p256.privateKey.prefix(120)),
      String(repeating: "a", count: 70_000),
    ])
  func noKey(pem: String) {
    #expect(throws: TokenKeyError.noPrivateKey(path: "key.p8")) {
      try PrivateKey(pem: pem, from: "key.p8")
    }
  }

  @Test("a file is read, and a missing one reported")
  func files() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("key-\(UUID().uuidString).pem").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Keys.p256.privateKey.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try PrivateKey(path: path).algorithm == "ES256")
    #expect(throws: TokenKeyError.unreadableFile(path: path + "x", errno: ENOENT)) {
      try PrivateKey(path: path + "x")
    }
  }

  @Test("only a key on the curve P-256 has a point")
  func noPoint() throws {
    #expect(try PrivateKey(pem: Keys.rsa.privateKey, from: "test").publicPoint == nil)
  }
}
