import Basics
import Crypto
import Testing

@testable import ParleyProtocol

@Suite("Signed examples of the RFCs")
struct ExampleTests {
  private func verifier(for example: Example) throws -> TokenVerifier {
    if let publicKey = example.publicKey { return try TokenVerifier(publicKeyPEM: publicKey) }
    return try TokenVerifier(secret: #require(Base64URL.decode(Example.secret.utf8)))
  }

  @Test("the signature is valid", arguments: Example.all)
  func genuine(example: Example) throws {
    let payload = try verifier(for: example).verifiedPayload(of: CompactToken(example.token))
    #expect(Base64URL.encode(payload) == example.payload)
  }

  @Test("a change of any character of the token is detected", arguments: Example.all)
  func tampered(example: Example) throws {
    let verifier = try verifier(for: example)
    let characters = Array(example.token.utf8)
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let token = String(decoding: changed, as: UTF8.self)
      #expect(throws: TokenError.self) { try verifier.verifiedPayload(of: CompactToken(token)) }
    }
  }

  @Test("a signature that is truncated, extended or missing is invalid", arguments: Example.all)
  func resized(example: Example) throws {
    let verifier = try verifier(for: example)
    let signature = try #require(Base64URL.decode(example.signature.utf8))
    for bytes in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
      let token = "\(example.header).\(example.payload).\(Base64URL.encode(bytes))"
      #expect(throws: TokenError.badSignature) {
        try verifier.verifiedPayload(of: CompactToken(token))
      }
    }
  }

  @Test("no key accepts the algorithm of another", arguments: Example.all, Example.all)
  func confusion(key: Example, token: Example) throws {
    guard key.name != token.name else { return }
    let error = #expect(throws: TokenError.self) {
      try verifier(for: key).verifiedPayload(of: CompactToken(token.token))
    }
    guard case .unacceptableAlgorithm = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
  }

  @Test("a signature of all zeros is invalid for ES256")
  func zeros() throws {
    let zeros = Base64URL.encode([UInt8](repeating: 0, count: 64))
    let token = "\(Example.es256.header).\(Example.es256.payload).\(zeros)"
    #expect(throws: TokenError.badSignature) {
      try verifier(for: .es256).verifiedPayload(of: CompactToken(token))
    }
  }
}
