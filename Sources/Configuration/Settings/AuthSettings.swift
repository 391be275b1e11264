package import ParleyProtocol

/// Access to sessions and to the Platform API.
package struct AuthSettings: Sendable, Equatable {
  /// The users that may open a session.
  package enum Mode: String, Sendable, CaseIterable {
    /// Any user id; the user is created if it does not exist.
    case open
    /// A user with an access token or a JWT.
    case token
    /// The user that the app's back end names.
    case hook
  }

  /// Computed by the loader when not set: `open` when every listener is loopback, otherwise `token`.
  package var mode = Mode.open
  /// The secret of JWTs signed with HS256.
  package var jwtSecret: Secret?
  /// The path of a PEM file with the public key of JWTs signed with RS256, ES256 or EdDSA.
  package var jwtPublicKey: String?
  /// The providers whose published keys verify JWTs.
  package var keySets: [KeySetSource] = []
  /// The URL of the keys of one more provider.
  package var keySetURL: String?
  /// The issuer of the tokens of that provider.
  package var tokenIssuer: String?
  /// The audience of the tokens of that provider.
  package var tokenAudience: String?
  /// The time for which keys that cannot be fetched again are still used.
  package var keySetStaleSeconds: Int64 = 86_400
  /// The token of the Platform API; when `nil`, the one kept in the data directory.
  package var apiToken: Secret?
  /// The origins from which browsers may connect, in lower case; `*` allows any, an empty list only the
  /// server's own.
  package var allowedOrigins: [String] = []

  /// All providers: those of the list, and the one with settings of its own.
  package var providers: [KeySetSource] {
    guard let keySetURL, let tokenIssuer else { return keySets }
    return keySets + [
      KeySetSource(TokenIssuer(tokenIssuer, audience: tokenAudience), url: keySetURL)
    ]
  }
}
