/// Access to sessions and to the Platform API.
package struct AuthSettings: Sendable, Equatable {
  /// The users that may open a session.
  package enum Mode: String, Sendable, CaseIterable {
    /// Any user id, and it is created when new.
    case open
    /// A user with an access token or a JWT.
    case token
  }

  /// Decided by the loader when not set: `open` when every listener is loopback, else `token`.
  package var mode = Mode.open
  /// The secret of JWTs signed with HS256.
  package var jwtSecret: Secret?
  /// The path of a PEM file with the public key of JWTs signed with RS256, ES256 or EdDSA.
  package var jwtPublicKey: String?
  /// The token of the Platform API; when `nil`, the one kept in the data directory.
  package var apiToken: Secret?
  /// The origins from which browsers may connect, in lower case; `*` is any, none is the server's
  /// own.
  package var allowedOrigins: [String] = []
}
