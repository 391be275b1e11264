import ParleyProtocol
import Telemetry

/// The expiry of a token of the Platform API that the call to issue it requests.
enum APITokenExpiry {
  /// The longest time until the expiry, in milliseconds: ten years.
  static let longest: Int64 = 3_650 * 24 * 60 * 60 * 1_000

  /// Reads `expires_at`, in Unix milliseconds; `nil` for a token that does not expire.
  ///
  /// - Throws: 400113 unless the time is later than now and at most ten years away.
  static func requested(_ fields: Fields, at now: Int64) throws(ServiceError) -> Int64? {
    guard let time = try fields.integer("expires_at", in: Limits.timestamps) else { return nil }
    let range = now + 1...now + longest
    guard range.contains(time) else { throw .outOfRange("expires_at", time, range) }
    return time
  }
}

extension IssuedAPITokens {
  /// The time until each token that expires does; negative after the expiry.
  ///
  /// - Parameter now: Unix milliseconds.
  func samples(at now: Int64) -> [MetricSample] {
    all.compactMap { token in
      token.expiresAt.map { time in
        MetricSample(
          MetricDefinition(
            "parley_api_token_expiry_seconds", kind: .gauge,
            help: "Time until an API token expires, by its name; negative after that.",
            labels: [.init("name", token.name)]),
          .real(Double(time - now) / 1_000))
      }
    }
  }
}
