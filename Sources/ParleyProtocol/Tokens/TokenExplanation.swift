/// The individual checks of a token, for an operator who needs the reason why it is refused.
///
/// Unlike ``TokenVerifier/verify(_:now:)`` this reads claims whose signature is wrong or was not
/// checked. It displays them without trusting them.
package struct TokenExplanation: Equatable, Sendable {
  /// A part of a token that is checked.
  package enum Part: String, Sendable {
    case form
    case issuer = "iss"
    case algorithm = "alg"
    case key = "kid"
    case signature
    /// `sub`, or the claim that the issuer has the user in.
    case subject = "sub"
    case audience = "aud"
    case expiry = "exp"
    case notBefore = "nbf"
  }

  /// The providers of a gateway's settings, and the keys of the provider that a token names.
  package struct Providers: Sendable {
    package var issuers: [TokenIssuer] = []
    /// `nil` when the token names none of them, or when the keys could not be loaded.
    package var keys: IssuerKeys?

    package init() {}

    /// Returns the provider that a token names in `iss`; `nil` for one without or with another.
    package func issuer(of token: String) -> TokenIssuer? {
      guard let token = try? CompactToken(token) else { return nil }
      return issuer(named: token.claimedIssuer)
    }

    fileprivate func issuer(named name: String?) -> TokenIssuer? {
      guard let name else { return nil }
      return issuers.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
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
  ///   - providers: The key sets of the gateway. A token that names one of them is checked with its
  ///     keys alone.
  ///   - now: Unix time in seconds.
  package init(
    of token: String, user: String?, verifiers: [TokenVerifier], providers: Providers = Providers(),
    now: Int64
  ) {
    do throws(TokenError) {
      let token = try CompactToken(token)
      let issuer = providers.issuer(named: token.claimedIssuer)
      if let issuer {
        add(.issuer, .text(issuer.name), .right)
        addKey(of: token, issuer, providers.keys)
      } else {
        if verifiers.isEmpty, !providers.issuers.isEmpty {
          let name = token.claimedIssuer
          add(.issuer, name.map { .text($0) } ?? .missing, .wrong(.unknownIssuer(name)))
        }
        addSignature(of: token, verifiers)
      }
      let payload = try JOSEObject(token.payload, part: "payload")
      addClaims(of: payload, issuer, user: user, now: now)
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

  /// Adds the checks of `alg`, `kid` and the signature with the keys of an issuer.
  private mutating func addKey(of token: CompactToken, _ issuer: TokenIssuer, _ keys: IssuerKeys?) {
    let name = String(token.algorithm.prefix(20))
    let isAccepted = issuer.accepts(token.algorithm)
    add(.algorithm, .text(name), isAccepted ? .right : .wrong(.unacceptableAlgorithm(name)))
    guard isAccepted else { return add(.signature, .missing, .unchecked) }
    do throws(TokenError) {
      let id = try token.keyID().map { Value.text($0) } ?? .missing
      guard let keys else {
        add(.key, id, .unchecked)
        return add(.signature, .missing, .unchecked)
      }
      let key: any VerificationKey
      do throws(TokenError) {
        key = try keys.verifier(of: token).key
      } catch {
        add(.key, id, .wrong(error))
        return add(.signature, .missing, .unchecked)
      }
      add(.key, id, .right)
      let isSigned = key.signed(token.signedText, as: token.signature)
      add(.signature, .missing, isSigned ? .right : .wrong(.badSignature))
    } catch {
      add(.key, .missing, .wrong(error))
    }
  }

  private mutating func addClaims(
    of payload: JOSEObject, _ issuer: TokenIssuer?, user: String?, now: Int64
  ) {
    add(.subject) { () throws(TokenError) in
      let subject = try Claims.subject(
        in: payload, issuer?.userClaim ?? TokenIssuer.subjectClaim)
      guard let user, !subject.utf8.elementsEqual(user.utf8) else {
        return (.text(subject), .right)
      }
      return (.text(subject), .wrong(.wrongSubject))
    }
    if let issuer, issuer.audience != nil {
      add(.audience) { () throws(TokenError) in
        try Claims.checkAudience(in: payload, issuer)
        return (try payload.audiences().first.map { .text($0) } ?? .missing, .right)
      }
    }
    add(.expiry) { () throws(TokenError) in
      guard let time = try payload.time("exp") else {
        return (.missing, issuer == nil ? .right : .wrong(.missingExpiry))
      }
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
