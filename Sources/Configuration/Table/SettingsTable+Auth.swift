extension SettingsTable {
  /// Access to sessions and to the Platform API.
  static let auth: [SettingDefinition] = [
    .choice(
      "auth.mode", \.auth.mode,
      orElse: .described("open when every listener is loopback and no proxy is set, else token"),
      help: "Who may open a session: anyone (open), or users with an access token (token)."),
    .optional(
      "auth.jwt_secret", \.auth.jwtSecret, .secret, expected: "a text",
      help: "Secret of access tokens that are JWTs signed with HS256.", read: { Secret($0) }),
    .optional(
      "auth.jwt_public_key", \.auth.jwtPublicKey, expected: "the path of a PEM file",
      help: "PEM file with the public key of JWTs signed with RS256, ES256 or EdDSA.",
      read: { $0 }),
    .optional(
      "auth.api_token", \.auth.apiToken, .secret,
      absent: .described("made at first start and kept in data_dir/api-token"),
      expected: "a text of visible ASCII characters",
      help: "Token of the Platform API; better given by environment or file than as a flag.",
      read: { text in
        text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? Secret(text) : nil
      }),
    .list(
      "auth.allowed_origins", \.auth.allowedOrigins,
      orElse: .described("the server's own"),
      expected: "an origin, such as https://example.com, or * for any",
      help: "Origins of pages that may connect; * also lifts the check of Host on loopback.",
      write: { $0 }, read: OriginText.read),
  ]
}
