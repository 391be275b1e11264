internal import ParleyProtocol

extension SettingsTable {
  private static let claim = "a text of at most \(ClaimText.byteLimit) visible ASCII characters"

  /// Settings for access control.
  static let auth: [SettingDefinition] = [
    .choice(
      "auth.mode", .restart, \.auth.mode,
      orElse: .described("open when every listener is loopback and no proxy is set, else token"),
      help:
        "Access to sessions: anyone (open), users with an access token (token), or whom the app's back "
        + "end admits (hook)."),
    .optional(
      "auth.jwt_secret", .reload, \.auth.jwtSecret, .secret, expected: "a text",
      help: "Secret for verifying JWT access tokens signed with HS256.", read: { Secret($0) }),
    .optional(
      "auth.jwt_public_key", .reload, \.auth.jwtPublicKey, expected: "the path of a PEM file",
      help: "Public key for verifying JWT access tokens signed with RS256, ES256 or EdDSA.",
      read: { $0 }),
    .records(
      "auth.jwks", .reload, \.auth.keySets, expected: KeySetText.expectation,
      help:
        "Providers whose published keys verify the JWTs of their issuer. A flag has each as "
        + "'issuer=... url=...'; algorithms are joined by +.",
      write: KeySetText.write, read: KeySetText.read),
    .optional(
      "auth.jwks_url", .reload, \.auth.keySetURL, .openWithoutQuery,
      expected: "an https URL, or http on this machine, without credentials",
      help: "URL of the key set of one provider, beside those of auth.jwks.",
      read: KeySetURLText.read),
    .optional(
      "auth.jwt_issuer", .reload, \.auth.tokenIssuer, expected: claim,
      help: "Issuer (iss) of the tokens whose keys are at auth.jwks_url.", read: ClaimText.read),
    .optional(
      "auth.jwt_audience", .reload, \.auth.tokenAudience, expected: claim,
      help: "Audience (aud) that these tokens must have. Without it any audience is accepted.",
      read: ClaimText.read),
    .integer(
      "auth.jwks_stale_seconds", .reload, \.auth.keySetStaleSeconds, in: 0...2_592_000,
      unit: "seconds",
      help: "Time for which keys are used after they should have been fetched again."),
    .optional(
      "auth.api_token", .restart, \.auth.apiToken, .secret,
      absent: .described("generated at the first start and kept in data_dir/api-token"),
      expected: "a text of visible ASCII characters",
      help: "Token of the Platform API. Prefer the environment or a file to the flag.",
      read: { text in
        text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? Secret(text) : nil
      }),
    .list(
      "auth.allowed_origins", .reload, \.auth.allowedOrigins,
      orElse: .described("none"),
      expected: "an origin, such as https://example.com, or * for any",
      help:
        "Origins of web pages that may connect, besides the server's own. * also disables the check of "
        + "Host on loopback.",
      write: { $0 }, read: OriginText.read),
  ]
}
