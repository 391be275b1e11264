internal import Basics

/// The keys of one issuer, and the choice of the key that verifies a token.
///
/// Keys are identified by issuer and `kid` together: a key of another issuer with the same `kid` is
/// another key. An immutable value that is usable from any thread.
package struct IssuerKeys: Sendable {
  /// A key in the role of one algorithm.
  package struct Entry: Sendable {
    package let keyID: String?
    /// The key's position in its set.
    ///
    /// A key that fits several algorithms has several entries.
    package let index: Int
    let verifier: TokenVerifier

    package init(keyID: String?, index: Int, key: some VerificationKey, of issuer: TokenIssuer) {
      self.keyID = keyID
      self.index = index
      verifier = TokenVerifier(key: key, issuer: issuer)
    }
  }

  package let issuer: TokenIssuer
  private let entries: [Entry]

  /// - Parameter entries: In the order of the set. Of several with one `kid` and algorithm, the first
  ///   is used.
  package init(_ issuer: TokenIssuer, _ entries: [Entry]) {
    self.issuer = issuer
    self.entries = entries.filter { issuer.accepts($0.verifier.key.algorithm) }
  }

  /// The number of keys that can verify tokens.
  package var count: Int { Set(entries.map(\.index)).count }

  /// Returns the claims of a token that is genuine, valid and issued to `user`.
  ///
  /// - Parameter now: Unix time in seconds.
  package func verify(_ token: CompactToken, user: String, now: Int64) throws(TokenError) -> Claims
  {
    try verifier(of: token).verify(token, user: user, now: now)
  }

  /// Chooses the key of a token by `alg` and `kid`; without a `kid`, the only key for `alg`.
  func verifier(of token: CompactToken) throws(TokenError) -> TokenVerifier {
    guard issuer.accepts(token.algorithm) else {
      throw .unacceptableAlgorithm(String(token.algorithm.prefix(20)))
    }
    let fitting = entries.filter { $0.verifier.key.algorithm == token.algorithm }
    guard let keyID = try token.keyID() else {
      guard let first = fitting.first else { throw .unknownKey(nil) }
      guard fitting.count == 1 else { throw .ambiguousKey }
      return first.verifier
    }
    // Swift's own comparison would treat canonically equivalent texts as the same key.
    let isNamed = { (entry: Entry) in entry.keyID?.utf8.elementsEqual(keyID.utf8) == true }
    guard entries.contains(where: isNamed) else { throw .unknownKey(keyID) }
    guard let entry = fitting.first(where: isNamed) else { throw .unfitKey(keyID) }
    return entry.verifier
  }
}
