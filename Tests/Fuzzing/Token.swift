import Basics
import Crypto
@testable import ParleyProtocol

/// Verifies any text as a token, and any payload under a signature that is right.
///
/// Nothing but the key's own signature over exactly this text is accepted, and what is accepted says
/// what was signed.
enum TokenHarness: Harness {
  private static let secret = "a secret of thirty-two bytes, or more"

  static func run(_ input: [UInt8]) {
    guard let verifier = try? TokenVerifier(secret: secret) else {
      preconditionFailure("the secret is not taken")
    }
    precondition(Base64URL.decode(Base64URL.encode(input).utf8) == input)
    if let bytes = Base64URL.decode(input) {
      precondition(Base64URL.encode(bytes).utf8.elementsEqual(input), "two texts for one content")
    }
    // No key signed it, so the chance of acceptance is that of guessing 256 bits.
    let foreign = String(decoding: input, as: UTF8.self)
    precondition((try? verifier.verify(foreign, now: 0)) == nil, "a token that nobody signed")
    verifySigned(input, with: verifier)
  }

  private static func verifySigned(_ payload: [UInt8], with verifier: TokenVerifier) {
    let text = Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + "." + Base64URL.encode(payload)
    guard let code = HMACSHA256.code(of: Array(text.utf8), under: Array(secret.utf8)) else {
      preconditionFailure("no signature")
    }
    let token = text + "." + Base64URL.encode(code)
    do throws(TokenError) {
      let claims = try verifier.verify(token, now: 1_000)
      precondition(!claims.subject.isEmpty)
      precondition(claims.expiresAt.map { $0 > 1_000 } ?? true)
      precondition(claims.notBefore.map { $0 <= 1_000 } ?? true)
      refuseChanges(of: token, verifier)
    } catch {
      switch error {
      case .badSignature, .unacceptableAlgorithm, .criticalHeader, .wrongSubject, .unknownIssuer,
        .wrongAudience, .missingExpiry, .unknownKey, .unfitKey, .ambiguousKey:
        preconditionFailure("a genuine token is refused: \(error)")
      case .tooLong, .malformed, .expired, .notYetValid: break
      }
    }
  }

  private static func refuseChanges(of token: String, _ verifier: TokenVerifier) {
    var bytes = Array(token.utf8)
    let place = bytes.count / 2
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    let changed = String(decoding: bytes, as: UTF8.self)
    precondition((try? verifier.verify(changed, now: 1_000)) == nil, "a changed token is accepted")
    precondition((try? verifier.verify(token + "=", now: 1_000)) == nil)
  }
}
