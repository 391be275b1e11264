package import Configuration
import Crypto
import PostgreSQL
import ParleyProtocol
import Unfurler

/// The loaded settings: certificates, keys and lists are read, but nothing is opened or started.
///
/// Detects all errors in the settings alone, both with `--check-config` and at startup.
package struct GatewayPlan: Sendable {
  package private(set) var settings: Settings
  let listening: ListenPlan
  /// The keys of JSON Web Tokens.
  private(set) var verifiers: [TokenVerifier]
  let fetching: UnfurlerConfiguration

  /// The number of event loops.
  var shardCount: Int { max(settings.reactors, 1) }

  /// - Throws: An error that names the setting whose value cannot be used.
  package init(_ settings: Settings) throws {
    self.settings = settings
    if let url = settings.store.url {
      try UnusableSetting.named("store.url") { try PostgreSQLAddress.check(url.value) }
    }
    listening = try ListenPlan(settings)
    verifiers = try Self.verifiers(settings.auth)
    fetching = try UnfurlerConfiguration(settings.unfurl)
  }

  /// Returns a plan with new settings, which may differ only where no restart is needed.
  ///
  /// - Throws: An error that names the key that cannot be used.
  package func adopting(_ settings: Settings) throws -> GatewayPlan {
    var plan = self
    plan.settings = settings
    plan.verifiers = try Self.verifiers(settings.auth)
    return plan
  }

  static func verifiers(_ settings: AuthSettings) throws -> [TokenVerifier] {
    var verifiers: [TokenVerifier] = []
    if let secret = settings.jwtSecret {
      verifiers.append(
        try UnusableSetting.named("auth.jwt_secret") { try TokenVerifier(secret: secret.value) })
    }
    if let path = settings.jwtPublicKey {
      verifiers.append(
        try UnusableSetting.named("auth.jwt_public_key") {
          try TokenVerifier(publicKeyPath: path)
        })
    }
    return verifiers
  }
}

/// The reason why the gateway cannot start, for the operator.
struct StartError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
