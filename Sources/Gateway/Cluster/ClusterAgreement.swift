import Configuration
import Crypto
import FloodControl
import Glibc
import ParleyProtocol

/// The settings that all servers of a cluster must share, as digests that the registry can keep.
///
/// A server whose settings differ would refuse the tokens of the others, post events elsewhere or
/// judge by other limits. Digests keep secrets out of the registry.
struct ClusterAgreement: Sendable, Equatable {
  /// Digests by the names of the settings.
  let digests: [String: String]

  init(digests: [String: String]) {
    self.digests = digests
  }

  init(_ settings: Settings) {
    let limits = settings.limits
    let publicKey = settings.auth.jwtPublicKey.map { Self.contents(of: $0) } ?? ""
    let texts: [String: String] = [
      "auth.mode": settings.auth.mode.rawValue,
      "auth.jwt_secret": settings.auth.jwtSecret?.value ?? "",
      "auth.jwt_public_key": publicKey,
      "auth.api_token": settings.auth.apiToken?.value ?? "",
      "files.public_url": settings.files.publicURL ?? "",
      "files.store": settings.files.store.sharedPart,
      "store.retention_days": "\(settings.store.retentionDays)",
      "webhooks.urls": settings.webhooks.urls.joined(separator: "\n"),
      "webhooks.secret": settings.webhooks.secret?.value ?? "",
      "webhooks.events": settings.webhooks.events.map(\.rawValue).joined(separator: "\n"),
      "limits.flood.messages": "\(limits.flood.limit.count)",
      "limits.flood.window_ms": "\(limits.flood.limit.windowMilliseconds)",
      "limits.flood.exempt_operators": "\(limits.flood.exemptsOperators)",
      "limits.throttle.messages": "\(limits.throttle.count)",
      "limits.throttle.window_ms": "\(limits.throttle.windowMilliseconds)",
      "limits.connections_per_user": "\(limits.connectionsPerUser)",
      "limits.channels_per_user": "\(limits.channelsPerUser)",
      // Servers may reach one bus by different names.
      "cluster.bus": settings.cluster.bus?.kind ?? "",
      "cluster.secret": settings.cluster.secret?.value ?? "",
      "cluster.beat_ms": "\(settings.cluster.beatMilliseconds)",
      "cluster.server_timeout_ms": "\(settings.cluster.serverTimeoutMilliseconds)",
    ]
    let cluster = settings.cluster.name
    digests = texts.reduce(into: [:]) { digests, text in
      // The name goes in so that one digest does not give away another setting of the same value.
      let digest = TokenDigest(of: "\(cluster)\n\(text.key)\n\(text.value)")
      digests[text.key] = String(digest.hex.prefix(32))
    }
  }

  /// The text of a file, which may lie elsewhere on each machine; empty when it cannot be read.
  private static func contents(of path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The settings that differ from those of another server, by name.
  ///
  /// A setting that only one of them has, because it is of another version, does not count.
  func differences(from other: ClusterAgreement) -> [String] {
    digests.keys.filter { name in
      guard let theirs = other.digests[name] else { return false }
      return theirs != digests[name]
    }.sorted()
  }
}

extension FilePlace {
  /// The part that servers must agree on: a directory may be mounted elsewhere on each machine.
  fileprivate var sharedPart: String {
    switch self {
    case .dataDirectory: "data_dir"
    case .directory: "directory"
    case .bucket(let place): "\(place.url)/\(place.prefix)"
    }
  }
}
