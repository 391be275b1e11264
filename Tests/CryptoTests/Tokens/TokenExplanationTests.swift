import Basics
import Crypto
import Testing

@testable import ParleyProtocol

@Suite("Explaining tokens")
struct TokenExplanationTests {
  private let secret = "a secret of at least thirty-two bytes"
  private let verifier: TokenVerifier

  init() throws {
    verifier = try TokenVerifier(secret: secret)
  }

  private func makeToken(
    _ payload: String, header: String = #"{"alg":"HS256"}"#
  ) throws -> String {
    let text = [header, payload].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    let code = try #require(HMACSHA256.code(of: Array(text.utf8), under: Array(secret.utf8)))
    return text + "." + Base64URL.encode(code)
  }

  private func explain(
    _ token: String, user: String? = nil, keys: [TokenVerifier]? = nil
  ) -> TokenExplanation {
    TokenExplanation(of: token, user: user, verifiers: keys ?? [verifier], now: 150)
  }

  private func outcome(
    _ part: TokenExplanation.Part, _ explanation: TokenExplanation
  ) -> TokenExplanation.Outcome? {
    explanation.checks.first { $0.part == part }?.outcome
  }

  @Test("a token that verifies has no problems")
  func right() throws {
    let token = try makeToken(#"{"sub":"jeff","exp":200,"nbf":100}"#)
    let explanation = explain(token, user: "jeff")
    #expect(explanation.problems.isEmpty)
    #expect(explanation.checks.allSatisfy { $0.outcome == .right })
    #expect(explanation.checks.map(\.value).contains(.time(200)))
  }

  @Test("all problems of a token are reported at once")
  func allProblems() throws {
    let token = try makeToken(#"{"sub":"ada","exp":150,"nbf":151}"#)
    #expect(
      explain(token + "A", user: "jeff").problems == [
        .badSignature, .wrongSubject, .expired(at: 150), .notYetValid(until: 151),
      ])
  }

  @Test("without a key the signature is not checked, but the claims are")
  func keyless() throws {
    let explanation = explain(try makeToken(#"{"sub":"ada","exp":150}"#), keys: [])
    #expect(outcome(.algorithm, explanation) == .unchecked)
    #expect(outcome(.signature, explanation) == .unchecked)
    #expect(explanation.problems == [.expired(at: 150)])
  }

  @Test("an algorithm without a key is a problem, and none always is")
  func algorithms() throws {
    let other = try makeToken(#"{"sub":"ada"}"#, header: #"{"alg":"RS256"}"#)
    #expect(explain(other).problems == [.unacceptableAlgorithm("RS256")])
    let none = try makeToken(#"{"sub":"ada"}"#, header: #"{"alg":"none"}"#)
    #expect(explain(none, keys: []).problems == [.unacceptableAlgorithm("none")])
  }

  @Test("claims of the wrong type are named")
  func types() throws {
    let explanation = explain(try makeToken(#"{"exp":"soon"}"#))
    #expect(
      explanation.problems == [.malformed("sub is missing"), .malformed("exp is not a time")])
  }

  @Test(
    "text that is not a token is reported as such", arguments: ["", "4f2a9c01d37be586", "a.b.c"])
  func forms(text: String) {
    let explanation = explain(text)
    #expect(explanation.checks.map(\.part) == [.form])
    #expect(!explanation.problems.isEmpty)
  }

  @Test("a token has problems exactly when it does not verify")
  func agreement() throws {
    for payload in [
      #"{"sub":"jeff"}"#, #"{"sub":""}"#, #"{"sub":"jeff","exp":150}"#, #"{"sub":"ada"}"#,
      #"{"sub":"jeff","nbf":150}"#, #"{"sub":"jeff","exp":150.5}"#, "[]", "{",
    ] {
      for suffix in ["", "A"] {
        let token = try makeToken(payload) + suffix
        let verifies = (try? verifier.verify(token, user: "jeff", now: 150)) != nil
        #expect(explain(token, user: "jeff").problems.isEmpty == verifies, "\(payload)\(suffix)")
      }
    }
  }
}
