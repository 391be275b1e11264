/// An algorithm that signs tokens with a private key (RFC 7518 §3.1, RFC 8037 §3.1).
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case es256 = "ES256"
  case es384 = "ES384"
  /// Over Ed25519 only.
  case edDSA = "EdDSA"

  /// The algorithms of a key set unless others are configured.
  package static let standard: [SignatureAlgorithm] = [.rs256, .es256, .edDSA]
}
