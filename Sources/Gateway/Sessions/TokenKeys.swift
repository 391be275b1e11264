import Configuration
import Crypto
import Curl
import KeySets
import Logging
import ParleyProtocol
import Synchronization
import Telemetry

/// The keys that verify JSON Web Tokens: those in the settings, and the key sets of providers.
final class TokenKeys: Sendable {
  /// The outcome of checking a token.
  enum Verdict: Sendable {
    case accepted(Claims)
    case refused(AccessRefusal, TokenRefusal)
    /// Not a JSON Web Token that a key of the settings verifies: maybe one that was issued here.
    case unverified([TokenError])
  }

  private struct Keys {
    var verifiers: [TokenVerifier]
    /// `nil` until a provider is configured.
    var sets: KeySets?
  }

  /// The directory of the copies of key sets, in the data directory.
  static let directoryName = "jwks"

  private let keys: Mutex<Keys>
  private let refusals = Mutex<[TokenRefusal: Int]>([:])
  /// Whether the server began with providers, and waits for the keys of one.
  private let startsWithSets: Bool
  private let directory: String
  private let logger: Logger

  /// Starts to fetch the key sets of the settings, unless sessions need no token.
  ///
  /// - Throws: `CurlError`.
  init(_ settings: Settings, _ verifiers: [TokenVerifier], logger: Logger) throws {
    directory = settings.dataDirectory + "/" + Self.directoryName
    self.logger = logger
    let auth = settings.auth
    startsWithSets = auth.mode == .token && !auth.providers.isEmpty
    let sets = startsWithSets ? try Self.sets(auth, directory, logger) : nil
    keys = Mutex(Keys(verifiers: verifiers, sets: sets))
  }

  private static func sets(
    _ auth: AuthSettings, _ directory: String, _ logger: Logger
  ) throws -> KeySets {
    try KeySets(
      KeySets.Configuration(
        auth.providers, staleSeconds: auth.keySetStaleSeconds, directory: directory,
        userAgent: userAgent),
      logger: logger)
  }

  static let userAgent = "Parley/\(Release.number)"

  /// Adopts the keys of reloaded settings.
  ///
  /// Open sessions stay open.
  ///
  /// - Throws: `CurlError`; then nothing changes.
  func adopt(_ auth: AuthSettings, _ verifiers: [TokenVerifier]) throws {
    var sets = keys.withLock(\.sets)
    if let sets {
      sets.adopt(auth.providers, staleSeconds: auth.keySetStaleSeconds)
    } else if auth.mode == .token, !auth.providers.isEmpty {
      sets = try Self.sets(auth, directory, logger)
    }
    keys.withLock { [sets] in $0 = Keys(verifiers: verifiers, sets: sets) }
  }

  /// Checks a token of a user: with the keys of its issuer alone if that is a provider, otherwise with
  /// those of the settings.
  ///
  /// - Parameter completion: Called once, on any thread.
  func verify(
    _ text: String, of user: String, clock: DeploymentClock,
    completion: @escaping @Sendable (Verdict) -> Void
  ) {
    let (verifiers, sets) = keys.withLock { ($0.verifiers, $0.sets) }
    if let sets, let token = try? CompactToken(text) {
      let check = KeySets.Check(token, user: user) { clock.now / 1_000 }
      let isOfProvider = sets.verify(check) { completion(Verdict($0, token)) }
      if isOfProvider { return }
    }
    var errors: [TokenError] = []
    for verifier in verifiers {
      do throws(TokenError) {
        return completion(
          .accepted(try verifier.verify(text, user: user, now: clock.now / 1_000)))
      } catch {
        errors.append(error)
      }
    }
    completion(.unverified(errors))
  }

  /// Stops fetching.
  func shutDown() { keys.withLock(\.sets)?.shutDown() }

  /// The reason why no token of a provider can be verified since the start.
  var unreadiness: String? {
    guard startsWithSets, keys.withLock(\.sets)?.awaitsFirstSet == true else { return nil }
    return "no key set of auth.jwks has been fetched"
  }

  // MARK: Metrics

  /// Counts a refused token.
  func count(_ refusal: TokenRefusal) { refusals.withLock { $0[refusal, default: 0] += 1 } }

  var samples: [MetricSample] {
    let counts = refusals.withLock { $0 }
    return TokenRefusal.allCases.map { refusal in
      MetricSample(
        "parley_tokens_refused_total", .counter, "Access tokens that were refused, by reason.",
        counts[refusal] ?? 0, .init("reason", refusal.rawValue))
    } + (keys.withLock(\.sets)?.figures ?? []).flatMap(\.samples)
  }
}

extension TokenKeys.Verdict {
  fileprivate init(_ answer: KeySetAnswer, _ token: CompactToken) {
    switch answer {
    case .accepted(let claims): self = .accepted(claims)
    case .refused(let error):
      let reason = "as a token of \(token.claimedIssuer ?? ""): \(error)"
      self = .refused(AccessRefusal(.notValidToken, reason: reason), TokenRefusal(error))
    case .noKeys(let wait): self = .refused(AccessRefusal(.noTokenKeys(retryAfter: wait)), .noKeys)
    }
  }
}

extension KeySetFigures {
  fileprivate var samples: [MetricSample] {
    let label = MetricDefinition.Label("issuer", issuer)
    let fetches = KeySetOutcome.allCases.map { outcome in
      MetricSample(
        "parley_jwks_fetches_total", .counter, "Fetches of key sets, by outcome.",
        counts[outcome] ?? 0, label, .init("outcome", outcome.rawValue))
    }
    let age = age.map {
      MetricSample(
        "parley_jwks_age_seconds", .gauge, "Time since the key set was fetched.", Int($0 / 1_000),
        label)
    }
    return fetches + (age.map { [$0] } ?? []) + [
      MetricSample(
        "parley_jwks_overdue_seconds", .gauge,
        "Time for which the key set should have been fetched again; 0 while it is fresh.",
        Int(overdue / 1_000), label),
      MetricSample(
        "parley_jwks_keys", .gauge, "Keys that verify tokens of the issuer.", keyCount, label),
    ]
  }
}
