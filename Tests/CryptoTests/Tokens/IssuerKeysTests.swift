import Basics
import Testing

@testable import Crypto
@testable import ParleyProtocol

@Suite("Tokens under the keys of an issuer")
struct IssuerKeysTests {
  private static let name = "https://id.example.com"
  private static let all = TokenIssuer(
    name, audience: "chat", algorithms: SignatureAlgorithm.allCases)

  private func made(
    _ jwks: [String], _ issuer: TokenIssuer = all
  ) throws -> (keys: IssuerKeys, ignored: [KeySet.Ignored]) {
    let text = #"{"keys":[\#(jwks.joined(separator: ","))]}"#
    return try IssuerKeys.make(KeySet(Array(text.utf8)), for: issuer)
  }

  private func claims(
    aud: String = #""chat""#, exp: String = #","exp":200"#, iss: String = name,
    more: String = ""
  ) -> String {
    #"{"iss":"\#(iss)","sub":"jeff","aud":\#(aud)\#(exp)\#(more)}"#
  }

  private func error(_ token: String, _ keys: IssuerKeys, user: String = "jeff") -> TokenError? {
    do throws(TokenError) {
      _ = try keys.verify(CompactToken(token), user: user, now: 100)
      return nil
    } catch {
      return error
    }
  }

  @Test("each algorithm verifies its own signatures, and no other's")
  func algorithms() throws {
    let rsa = try ProviderKey.rsa()
    let pairs: [(SignatureAlgorithm, ProviderKey)] = [
      (.rs256, rsa), (.rs384, rsa), (.rs512, rsa), (.ps256, rsa),
      (.es256, try .curve("P-256")), (.es384, try .curve("P-384")), (.edDSA, try .ed25519()),
    ]
    for (algorithm, key) in pairs {
      let (keys, ignored) = try made([key.jwk()])
      #expect(ignored.isEmpty)
      #expect(keys.count == 1)
      let token = try key.token(claims(), algorithm)
      #expect(error(token, keys) == nil, "\(algorithm)")
      let parts = token.split(separator: ".")
      #expect(error("\(parts[0]).\(parts[1]).AAAA", keys) == .badSignature)
      let stranger = try ProviderKey.ed25519()
      #expect(error(try stranger.token(claims(), .edDSA), try made([stranger.jwk()]).keys) == nil)
    }
    // The same signature under the name of another algorithm of the key.
    let keys = try made([rsa.jwk()]).keys
    let signed = try rsa.token(claims(), .ps256).split(separator: ".")
    let other = try rsa.token(claims(), .rs256).split(separator: ".")
    #expect(error("\(other[0]).\(other[1]).\(signed[2])", keys) == .badSignature)
  }

  @Test("RSA keys have 2048 to 8192 bits")
  func sizes() throws {
    #expect(throws: KeySetError.noUsableKey("n has 1024 bits, not 2048 to 8192")) {
      try made([ProviderKey.rsa(bits: 1_024).jwk()])
    }
    let large = try ProviderKey.rsa(bits: 4_096)
    #expect(error(try large.token(claims(), .rs512), try made([large.jwk()]).keys) == nil)
  }

  @Test("an algorithm that is not configured is refused, whatever the set has")
  func configuredAlgorithms() throws {
    let key = try ProviderKey.rsa()
    let keys = try made([key.jwk()], TokenIssuer(Self.name)).keys
    #expect(error(try key.token(claims(), .rs256), keys) == nil)
    #expect(error(try key.token(claims(), .ps256), keys) == .unacceptableAlgorithm("PS256"))
    #expect(throws: KeySetError.noUsableKey("it is for no algorithm of the issuer")) {
      try made([ProviderKey.curve("P-384").jwk()], TokenIssuer(Self.name))
    }
  }

  @Test("a public key is no secret: HS256 and none are refused")
  func confusion() throws {
    let key = try ProviderKey.rsa()
    let keys = try made([key.jwk()]).keys
    for secret in [try key.pem(), try key.jwk(), try key.pem() + "\n"] {
      let text = [#"{"alg":"HS256","kid":"1"}"#, claims()].map { Base64URL.encode($0.utf8) }
        .joined(separator: ".")
      let code = try #require(HMACSHA256.code(of: Array(text.utf8), under: Array(secret.utf8)))
      #expect(error(text + "." + Base64URL.encode(code), keys) == .unacceptableAlgorithm("HS256"))
    }
    let none = [#"{"alg":"none","kid":"1"}"#, claims()].map { Base64URL.encode($0.utf8) }
      .joined(separator: ".")
    #expect(error(none + ".", keys) == .unacceptableAlgorithm("none"))
  }

  @Test("a key that the token brings is ignored, and crit is refused")
  func headers() throws {
    let (mine, evil) = (try ProviderKey.curve("P-256"), try ProviderKey.curve("P-256"))
    let keys = try made([mine.jwk()]).keys
    let brought = #","kid":"1","jwk":\#(try evil.jwk()),"jku":"https://evil.example","x5u":"x""#
    #expect(error(try evil.token(claims(), .es256, header: brought), keys) == .badSignature)
    #expect(error(try mine.token(claims(), .es256, header: brought), keys) == nil)
    let critical = try mine.token(claims(), .es256, header: #","kid":"1","crit":["exp"]"#)
    #expect(throws: TokenError.criticalHeader) { try CompactToken(critical) }
  }

  @Test("the kid chooses the key; without one, the only key that fits")
  func choice() throws {
    let (one, two, curve) = (
      try ProviderKey.rsa(), try ProviderKey.rsa(), try ProviderKey.curve("P-256")
    )
    let keys = try made([
      one.jwk(), two.jwk(#""kid":"2""#), curve.jwk(#""kid":"3""#),
    ]).keys
    #expect(error(try two.token(claims(), .rs256, header: #","kid":"2""#), keys) == nil)
    #expect(error(try two.token(claims(), .rs256), keys) == .badSignature)
    #expect(
      error(try two.token(claims(), .rs256, header: #","kid":"9""#), keys) == .unknownKey("9"))
    #expect(
      error(try one.token(claims(), .rs256, header: #","kid":"3""#), keys) == .unfitKey("3"))
    #expect(error(try one.token(claims(), .rs256, header: ""), keys) == .ambiguousKey)
    #expect(error(try curve.token(claims(), .es256, header: ""), keys) == nil)
    let ed = try ProviderKey.ed25519()
    #expect(error(try ed.token(claims(), .edDSA, header: ""), keys) == .unknownKey(nil))
    let long = String(repeating: "k", count: 257)
    #expect(
      error(try one.token(claims(), .rs256, header: #","kid":"\#(long)""#), keys)
        == .malformed("kid is longer than 256 bytes"))
    #expect(
      error(try one.token(claims(), .rs256, header: #","kid":1"#), keys)
        == .malformed("kid is not a string"))
  }

  @Test("of several keys with one kid and algorithm the first is used")
  func duplicates() throws {
    let (one, two, curve) = (
      try ProviderKey.rsa(), try ProviderKey.rsa(), try ProviderKey.curve("P-256")
    )
    let (keys, ignored) = try made([one.jwk(), two.jwk(), curve.jwk()])
    #expect(error(try one.token(claims(), .rs256), keys) == nil)
    #expect(error(try two.token(claims(), .rs256), keys) == .badSignature)
    // A key of another kind is found by the algorithm.
    #expect(error(try curve.token(claims(), .es256), keys) == nil)
    #expect(ignored.map(\.reason) == ["an earlier key has the same kid and algorithm"])
    #expect(ignored.map(\.index) == [1])
  }

  @Test("a point off its curve is no key")
  func offCurve() throws {
    for (curve, size) in [("P-256", 32), ("P-384", 48)] {
      let number = Base64URL.encode([UInt8](repeating: 3, count: size))
      let bad = #"{"kid":"x","kty":"EC","crv":"\#(curve)","x":"\#(number)","y":"\#(number)"}"#
      let zero = Base64URL.encode([UInt8](repeating: 0, count: size))
      let origin = #"{"kid":"y","kty":"EC","crv":"\#(curve)","x":"\#(zero)","y":"\#(zero)"}"#
      let (keys, ignored) = try made([bad, origin, ProviderKey.ed25519().jwk()])
      #expect(keys.count == 1)
      #expect(
        ignored.map(\.reason)
          == Array(repeating: "x and y are not a point of \(curve)", count: 2))
    }
  }

  @Test("iss, aud and exp must be there, and right")
  func requirements() throws {
    let key = try ProviderKey.ed25519()
    let keys = try made([key.jwk()]).keys
    func error(_ payload: String) throws -> TokenError? {
      self.error(try key.token(payload, .edDSA), keys)
    }
    #expect(try error(claims(aud: #"["other","chat"]"#)) == nil)
    #expect(try error(claims(aud: #"["other"]"#)) == .wrongAudience)
    #expect(try error(claims(aud: #""chat2""#)) == .wrongAudience)
    #expect(try error(claims(aud: "[]")) == .wrongAudience)
    #expect(
      try error(claims(aud: "7"))
        == .malformed("aud is neither a string nor an array of strings"))
    #expect(
      try error(claims(aud: #"["chat",7]"#))
        == .malformed("aud is neither a string nor an array of strings"))
    #expect(try error(#"{"iss":"\#(Self.name)","sub":"jeff","exp":200}"#) == .wrongAudience)
    #expect(try error(claims(exp: "")) == .missingExpiry)
    #expect(try error(claims(exp: #","exp":100"#)) == .expired(at: 100))
    #expect(
      try error(claims(exp: #","exp":9223372036854775808"#))
        == .malformed("exp is not a time"))
    #expect(try error(claims(more: #","nbf":101"#)) == .notYetValid(until: 101))
    #expect(
      try error(claims(iss: Self.name + "/")) == .unknownIssuer(Self.name + "/"))
    #expect(try error(#"{"sub":"jeff","aud":"chat","exp":200}"#) == .unknownIssuer(nil))
    #expect(self.error(try key.token(claims(), .edDSA), keys, user: "ada") == .wrongSubject)
  }

  @Test("the user and the nickname may be in other claims")
  func otherClaims() throws {
    let key = try ProviderKey.ed25519()
    let issuer = TokenIssuer(Self.name, userClaim: "email", nicknameClaim: "name")
    let keys = try made([key.jwk()], issuer).keys
    func nickname(_ more: String) throws -> String? {
      let token = try CompactToken(key.token(claims(more: more), .edDSA))
      return try keys.verify(token, user: "j@example.com", now: 100).nickname
    }
    let email = #","email":"j@example.com""#
    #expect(try nickname(email + #","name":"Jeff""#) == "Jeff")
    #expect(try nickname(email) == nil)
    #expect(try nickname(email + #","name":5"#) == nil)
    #expect(try nickname(email + #","name":"""#) == nil)
    #expect(try nickname(email + #","name":"a\u202eb""#) == nil)
    #expect(try nickname(email + #","name":"\#(String(repeating: "n", count: 81))""#) == nil)
    #expect(
      error(try key.token(claims(), .edDSA), keys, user: "jeff") == .malformed("email is missing"))
  }

  @Test("a token names its issuer before it is verified")
  func claimedIssuer() throws {
    let key = try ProviderKey.ed25519()
    #expect(try CompactToken(key.token(claims(), .edDSA)).claimedIssuer == Self.name)
    #expect(try CompactToken(key.token("{}", .edDSA)).claimedIssuer == nil)
    #expect(try CompactToken(key.token(#"{"iss":1}"#, .edDSA)).claimedIssuer == nil)
    #expect(try CompactToken(key.token("[]", .edDSA)).claimedIssuer == nil)
  }

  @Test("an explanation names the issuer, the key and the reason")
  func explanation() throws {
    let key = try ProviderKey.ed25519()
    var providers = TokenExplanation.Providers()
    providers.issuers = [Self.all]
    providers.keys = try made([key.jwk()]).keys
    func explain(_ token: String, user: String? = nil) -> TokenExplanation {
      TokenExplanation(of: token, user: user, verifiers: [], providers: providers, now: 100)
    }
    let good = try key.token(claims(), .edDSA)
    #expect(providers.issuer(of: good) == Self.all)
    let right = explain(good, user: "jeff")
    #expect(right.problems.isEmpty)
    #expect(
      right.checks.map(\.part.rawValue) == [
        "iss", "alg", "kid", "signature", "sub", "aud", "exp", "nbf",
      ])
    #expect(right.checks[2].value == .text("1"))
    let unknown = explain(try key.token(claims(), .edDSA, header: #","kid":"7""#))
    #expect(unknown.problems == [.unknownKey("7")])
    let bad = explain(try key.token(claims(aud: #""x""#, exp: ""), .edDSA), user: "ada")
    #expect(bad.problems == [.wrongSubject, .wrongAudience, .missingExpiry])
    let foreign = explain(try key.token(claims(iss: "https://other.example"), .edDSA))
    #expect(foreign.problems == [.unknownIssuer("https://other.example")])
  }
}
