import Basics
import Crypto
import Testing

@testable import ParleyProtocol
import TestSupport

@Suite("Verifying tokens")
struct TokenVerifierTests {
  private let secret = "a secret of at least thirty-two bytes"
  private let verifier: TokenVerifier

  init() throws {
    verifier = try TokenVerifier(secret: secret)
  }

  private func makeToken(
    _ payload: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#
  ) throws -> String {
    let parts = [header, payload].map { Base64URL.encode($0.utf8) }
    let text = parts.joined(separator: ".")
    let code = try #require(
      HMACSHA256.code(of: Array(text.utf8), under: Array(secret.utf8)))
    return text + "." + Base64URL.encode(code)
  }

  private func refusal(_ token: String, now: Int64 = 0) -> TokenError? {
    do {
      _ = try verifier.verify(token, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test("the claims of a valid token are returned")
  func claims() throws {
    let token = try makeToken(#"{"sub":"jeff","exp":200,"nbf":100,"iat":"whatever","x":[1]}"#)
    let claims = try verifier.verify(token, now: 150)
    #expect(claims.subject == "jeff")
    #expect(claims.expiresAt == 200)
    #expect(claims.notBefore == 100)
    let bare = try verifier.verify(makeToken(#"{"sub":"jeff"}"#), now: .max)
    #expect(bare.expiresAt == nil && bare.notBefore == nil)
  }

  @Test("a token is valid from nbf until before exp, to the second")
  func times() throws {
    let token = try makeToken(#"{"sub":"jeff","exp":200,"nbf":100}"#)
    #expect(refusal(token, now: 99) == .notYetValid(until: 100))
    #expect(refusal(token, now: 100) == nil)
    #expect(refusal(token, now: 199) == nil)
    #expect(refusal(token, now: 200) == .expired(at: 200))
  }

  @Test("fractional seconds in times are honoured")
  func fractions() throws {
    let token = try makeToken(#"{"sub":"jeff","exp":200.5,"nbf":1.005e2}"#)
    #expect(refusal(token, now: 100) == .notYetValid(until: 101))
    #expect(refusal(token, now: 101) == nil)
    #expect(refusal(token, now: 200) == nil)
    #expect(refusal(token, now: 201) == .expired(at: 201))
  }

  @Test("invalid times are refused", arguments: ["\"200\"", "1e300", "null", "true", "[]"])
  func badTimes(value: String) throws {
    for name in ["exp", "nbf"] {
      let token = try makeToken(#"{"sub":"jeff","\#(name)":\#(value)}"#)
      #expect(refusal(token) == .malformed("\(name) is not a time"))
    }
  }

  @Test("a token whose subject is missing or not a text is refused")
  func badSubjects() throws {
    #expect(try refusal(makeToken("{}")) == .malformed("sub is missing"))
    #expect(try refusal(makeToken(#"{"sub":""}"#)) == .malformed("sub is missing"))
    #expect(try refusal(makeToken(#"{"sub":7}"#)) == .malformed("sub is not a string"))
  }

  @Test("a token of another user is refused, even if the IDs only look the same")
  func otherUser() throws {
    let token = try makeToken("{\"sub\":\"zo\u{EB}\"}")
    #expect(try verifier.verify(token, user: "zo\u{EB}", now: 0).subject == "zo\u{EB}")
    for user in ["zoe\u{308}", "zoe", ""] {
      #expect(throws: TokenError.wrongSubject) {
        try verifier.verify(token, user: user, now: 0)
      }
    }
  }

  @Test("alg must be the key's own", arguments: ["none", "NONE", "hs256", "HS512", "RS256", ""])
  func otherAlgorithms(name: String) throws {
    let token = try makeToken(#"{"sub":"jeff"}"#, header: #"{"alg":"\#(name)"}"#)
    #expect(refusal(token) == .unacceptableAlgorithm(name))
    let unsigned = token.prefix { $0 != "." } + ".e30."
    #expect(refusal(String(unsigned)) == .unacceptableAlgorithm(name))
  }

  @Test("a token signed with the public key as secret is refused")
  func publicKeyAsSecret() throws {
    let publicKey = try #require(Example.rs256.publicKey)
    let byKey = try TokenVerifier(publicKeyPEM: publicKey)
    let text = Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + ".e30"
    let code = try #require(
      HMACSHA256.code(of: Array(text.utf8), under: Array(publicKey.utf8)))
    #expect(throws: TokenError.unacceptableAlgorithm("HS256")) {
      try byKey.verify(text + "." + Base64URL.encode(code), now: 0)
    }
  }

  @Test("a critical header is refused, whatever it names")
  func critical() throws {
    for value in ["[\"exp\"]", "[]", "null"] {
      let token = try makeToken(
        #"{"sub":"jeff"}"#, header: #"{"alg":"HS256","crit":\#(value)}"#)
      #expect(refusal(token) == .criticalHeader)
    }
  }

  @Test("a duplicate member is refused")
  func repeated() throws {
    let payload = try makeToken(#"{"sub":"jeff","sub":"mallory"}"#)
    let header = try makeToken(#"{"sub":"jeff"}"#, header: #"{"alg":"HS256","alg":"none"}"#)
    for token in [payload, header] {
      guard case .malformed = refusal(token) else {
        Issue.record("accepted \(token)")
        continue
      }
    }
  }

  @Test(
    "a token without three parts of base64url is malformed",
    arguments: ["", ".", "..", "a.b", "a.b.c.d", "e30=.e30.e30", "e30.e30.e30\n", " e30.e30.e30"])
  func shape(token: String) {
    guard case .malformed = refusal(token) else {
      Issue.record("accepted \(token)")
      return
    }
  }

  @Test("a token of more than 8 KiB is not parsed")
  func size() throws {
    let filler = String(repeating: "a", count: 8192)
    #expect(refusal(filler + "a") == .tooLong)
    #expect(refusal(filler) == .malformed("it does not have three parts"))
    #expect(try refusal(makeToken(#"{"sub":"\#(filler)"}"#)) == .tooLong)
  }

  @Test("deep nesting is malformed, and does not crash")
  func nesting() throws {
    let deep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
    guard case .malformed = try refusal(makeToken(#"{"sub":"jeff","x":\#(deep)}"#)) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("random texts never verify and never trap")
  func garbage() {
    var generator = SeededGenerator(seed: 7515)
    let alphabet = Array("eyJhbGciOiJIUzI1NiJ9.-_={}\"\\\u{0}\u{7F}é".unicodeScalars)
    for _ in 0..<5000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...120, using: &generator) {
        text.append(alphabet[Int.random(in: alphabet.indices, using: &generator)])
      }
      #expect(refusal(String(text)) != nil)
      #expect(refusal("eyJhbGciOiJIUzI1NiJ9." + String(text)) != nil)
    }
  }

  @Test("random payloads with a valid signature never trap")
  func signedGarbage() throws {
    var generator = SeededGenerator(seed: 7519)
    let tokens = [
      "{", "}", "\"sub\":", "\"exp\":", "\"nbf\":", "\"a\"", ",", "1e9", "-0.5", "[", "]",
    ]
    for _ in 0..<2000 {
      let payload = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        tokens.randomElement(using: &generator) ?? ""
      }
      _ = try refusal(makeToken(payload.joined()))
    }
  }
}
