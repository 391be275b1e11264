import Basics
import Testing
import ParleyProtocol

@Suite("Tokens under a key of any kind")
struct OtherKeyTests {
  /// Signs by reversing the text.
  private struct MirrorKey: VerificationKey {
    var algorithm: String { "MIRROR" }

    func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
      signature == Array(text.reversed())
    }
  }

  private func token(_ payload: String, algorithm: String = "MIRROR") -> String {
    let header = #"{"alg":"\#(algorithm)"}"#
    let text = [header, payload].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    return text + "." + Base64URL.encode(Array(text.utf8).reversed())
  }

  @Test("the key determines the valid signature and the accepted algorithm")
  func decides() throws {
    let verifier = TokenVerifier(key: MirrorKey())
    #expect(try verifier.verify(token(#"{"sub":"jeff"}"#), now: 0).subject == "jeff")
    #expect(throws: TokenError.unacceptableAlgorithm("HS256")) {
      try verifier.verify(token(#"{"sub":"jeff"}"#, algorithm: "HS256"), now: 0)
    }
    #expect(throws: TokenError.badSignature) {
      try verifier.verify(token(#"{"sub":"jeff"}"#) + "AA", now: 0)
    }
  }
}
