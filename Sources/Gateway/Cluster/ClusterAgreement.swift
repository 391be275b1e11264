import Configuration
import Crypto
import Glibc
import ParleyProtocol

/// The settings that all servers of a cluster must share, as digests that the registry can store.
///
/// A server whose settings differ would refuse the tokens of the others, post events elsewhere or
/// apply other limits. Digests keep secrets out of the registry.
struct ClusterAgreement: Sendable, Equatable {
  /// Digests by the names of the settings.
  let digests: [String: String]
  /// The values that errors may show, by the names of the settings.
  let shown: [String: String]

  init(digests: [String: String]) {
    self.digests = digests
    shown = [:]
  }

  /// The settings that are compared as written, and are neither secrets nor addresses.
  private static let openNames: Set = [
    "auth.mode", "store.retention_days", "store.retention", "store.keep_messages",
    "limits.flood.messages", "limits.flood.window_ms", "limits.flood.exempt_operators",
    "limits.user_flood.messages", "limits.user_flood.window_ms",
    "limits.throttle.messages", "limits.throttle.window_ms",
    "limits.connections_per_user", "limits.channels_per_user",
    "limits.custom_type_length", "limits.data_bytes",
    "limits.metaarray.keys", "limits.metaarray.key_length", "limits.metaarray.values",
    "limits.metaarray.value_length", "limits.metaarray.bytes",
    "limits.metadata.keys", "limits.metadata.key_length", "limits.metadata.value_length",
    "limits.metadata.user_bytes",
    "hooks.events", "hooks.on_failure", "hooks.platform",
    "cluster.beat_ms", "cluster.server_timeout_ms",
  ]

  init(_ settings: Settings) {
    let publicKey = settings.auth.jwtPublicKey.map { Self.contents(of: $0) } ?? ""
    var texts: [String: String] = [
      "webhooks.events": settings.webhooks.events.map(\.rawValue).joined(separator: "\n"),
      "auth.jwt_secret": settings.auth.jwtSecret?.value ?? "",
      "auth.jwt_public_key": publicKey,
      "auth.jwks": settings.auth.providers.map(\.issuer.sharedPart).sorted().joined(
        separator: "\n"),
      "auth.api_token": settings.auth.apiToken?.value ?? "",
      "files.public_url": settings.files.publicURL ?? "",
      "files.store": settings.files.store.sharedPart,
      "webhooks.urls": settings.webhooks.urls.joined(separator: "\n"),
      "webhooks.secret": settings.webhooks.secret?.value ?? "",
      "hooks.url": settings.hooks.url ?? "",
      "hooks.urls": settings.hooks.urls.map(\.description).joined(separator: "\n"),
      "hooks.secret": settings.hooks.secret?.value ?? "",
      // Servers may reach the same bus under different names.
      "cluster.bus": settings.cluster.bus?.kind ?? "",
      "cluster.secret": settings.cluster.secret?.value ?? "",
    ]
    shown = SettingsListing(settings, of: .gateway).entries.reduce(into: [:]) { shown, entry in
      guard Self.openNames.contains(entry.name) else { return }
      shown[entry.name] = entry.values.joined(separator: ", ")
    }
    texts.merge(shown) { own, _ in own }
    let cluster = settings.cluster.name
    digests = texts.reduce(into: [:]) { digests, text in
      // The name is included so that a digest does not reveal another setting with the same value.
      let digest = TokenDigest(of: "\(cluster)\n\(text.key)\n\(text.value)")
      digests[text.key] = String(digest.hex.prefix(32))
    }
  }

  /// The text of a file, whose path may differ by machine; empty when the file cannot be read.
  private static func contents(of path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The settings that differ from those of another server, by name.
  ///
  /// A setting that only one of the two servers has, because their versions differ, does not count.
  func differences(from other: ClusterAgreement) -> [String] {
    digests.keys.filter { name in
      guard let theirs = other.digests[name] else { return false }
      return theirs != digests[name]
    }.sorted()
  }
}

extension TokenIssuer {
  /// The part that servers must agree on: they may reach the provider at different URLs.
  fileprivate var sharedPart: String {
    [
      name, audience ?? "", algorithms.map(\.rawValue).sorted().joined(separator: "+"), userClaim,
      nicknameClaim ?? "",
    ].joined(separator: " ")
  }
}

extension FilePlace {
  /// The part that servers must agree on: the path of a directory may differ by machine.
  fileprivate var sharedPart: String {
    switch self {
    case .dataDirectory: "data_dir"
    case .directory: "directory"
    case .bucket(let place): "\(place.url)/\(place.prefix)"
    }
  }
}
