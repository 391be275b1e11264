/// The individual checks of a token, for an operator who needs the reason why it is refused.
///
/// Unlike ``TokenVerifier/verify(_:now:)`` this reads claims whose signature is wrong or was not
/// checked. It displays them without trusting them.
package struct TokenExplanation: Equatable, Sendable {
  /// A part of a token that is checked.
  package enum Part: String, Sendable {
    case form
    case algorithm = "alg"
    case signature
    case subject = "sub"
    case expiry = "exp"
    case notBefore = "nbf"
  }

  /// The content of a part.
  package enum Value: Equatable, Sendable {
    case missing
    case text(String)
    /// Unix time in seconds.
    case time(Int64)
  }

  package enum Outcome: Equatable, Sendable {
    case right
    /// There was no key to check the part with.
    case unchecked
    case wrong(TokenError)
  }

  /// The outcome of checking one part.
  package struct Check: Equatable, Sendable {
    package let part: Part
    package let value: Value
    package let outcome: Outcome
  }

  /// In the order in which a gateway checks; only the form when the token cannot be parsed.
  package private(set) var checks: [Check] = []

  /// Checks a token.
  ///
  /// - Parameters:
  ///   - user: The user for whom a session is to be opened; `nil` to skip that check.
  ///   - verifiers: The keys of the gateway; with none, the signature is not checked.
  ///   - now: Unix time in seconds.
  package init(of token: String, user: String?, verifiers: [TokenVerifier], now: Int64) {
    do throws(TokenError) {
      let token = try CompactToken(token)
      addSignature(of: token, verifiers)
      try addClaims(of: JOSEObject(token.payload, part: "payload"), user: user, now: now)
    } catch {
      add(.form, .missing, .wrong(error))
    }
  }

  /// The reasons why the token is refused, in the order of the checks.
  package var problems: [TokenError] {
    checks.compactMap { if case .wrong(let error) = $0.outcome { error } else { nil } }
  }

  private mutating func add(_ part: Part, _ value: Value, _ outcome: Outcome) {
    checks.append(Check(part: part, value: value, outcome: outcome))
  }

  private mutating func addSignature(of token: CompactToken, _ verifiers: [TokenVerifier]) {
    let name = String(token.algorithm.prefix(20))
    guard !verifiers.isEmpty else {
      // No key accepts "none".
      let isNone = token.algorithm == "none"
      add(.algorithm, .text(name), isNone ? .wrong(.unacceptableAlgorithm(name)) : .unchecked)
      return add(.signature, .missing, .unchecked)
    }
    let suitable = verifiers.filter { $0.key.algorithm == token.algorithm }
    guard !suitable.isEmpty else {
      add(.algorithm, .text(name), .wrong(.unacceptableAlgorithm(name)))
      return add(.signature, .missing, .unchecked)
    }
    add(.algorithm, .text(name), .right)
    let isSigned = suitable.contains { $0.key.signed(token.signedText, as: token.signature) }
    add(.signature, .missing, isSigned ? .right : .wrong(.badSignature))
  }

  private mutating func addClaims(of payload: JOSEObject, user: String?, now: Int64) {
    add(.subject) { () throws(TokenError) in
      guard let subject = try payload.text("sub"), !subject.isEmpty else {
        throw .malformed("sub is missing")
      }
      guard let user, !subject.utf8.elementsEqual(user.utf8) else {
        return (.text(subject), .right)
      }
      return (.text(subject), .wrong(.wrongSubject))
    }
    add(.expiry) { () throws(TokenError) in
      guard let time = try payload.time("exp") else { return (.missing, .right) }
      return (.time(time), now < time ? .right : .wrong(.expired(at: time)))
    }
    add(.notBefore) { () throws(TokenError) in
      guard let time = try payload.time("nbf") else { return (.missing, .right) }
      return (.time(time), time <= now ? .right : .wrong(.notYetValid(until: time)))
    }
  }

  private mutating func add(
    _ part: Part, _ check: () throws(TokenError) -> (Value, Outcome)
  ) {
    do throws(TokenError) {
      let (value, outcome) = try check()
      add(part, value, outcome)
    } catch {
      add(part, .missing, .wrong(error))
    }
  }
}
