package import Basics
package import ParleyProtocol

/// Every setting of the server, as one value that is made at start and never changes.
///
/// The initial values are the defaults; ``SettingsLoader`` replaces what flags, environment and
/// file say, and decides the two defaults that depend on others (`auth.mode` on the listeners,
/// `reactors` on the machine).
package struct Settings: Sendable, Equatable {
  /// Addresses for clients and back ends in plain text.
  package var listen = [ListenAddress.loopback(port: 8080)]
  package var tls = TLSListenSettings()
  package var operations = OperationsSettings()
  package var dashboard = DashboardSettings()
  package var proxy = ProxySettings()
  package var limits = LimitSettings()
  package var drain = DrainSettings()
  /// The directory in which everything is kept that must survive a restart.
  package var dataDirectory = "./parley-data"
  package var store = StoreSettings()
  package var cluster = ClusterSettings()
  package var files = FileSettings()
  package var thumbnails = ThumbnailSettings()
  package var translation = TranslationSettings()
  package var auth = AuthSettings()
  package var unfurl = UnfurlSettings()
  package var fanOut = FanOutSettings()
  package var webhooks = WebhookSettings()
  package var compression = CompressionSettings()
  /// The number of event loops, each on a thread of its own; at least 1 once loaded.
  package var reactors = 0
  package var log = LogSettings()
  package var audit = AuditSettings()

  package init() {}

  /// The defaults of the service that looks previews up.
  static var unfurlService: Settings {
    var settings = Settings()
    settings.listen = [ListenAddress.loopback(port: 8090)]
    return settings
  }

  /// Every address that the server listens on: plain, TLS, operations and for proxies.
  package var allListeners: [ListenAddress] {
    listen + tls.listen + operations.listen + proxy.listen
  }

  /// Whether others than this machine's own processes can reach the server, themselves or through
  /// a proxy.
  package var isExposed: Bool { proxy.isUsed || !allListeners.allSatisfy(\.isLoopback) }

  /// The file of master keys for encrypted files, unless a command prints them.
  package var masterKeyPath: String { files.masterKeys ?? dataDirectory + "/file-keys" }
}

/// Listening with TLS.
package struct TLSListenSettings: Sendable, Equatable {
  /// Addresses for clients and back ends with TLS; none when empty.
  package var listen: [ListenAddress] = []
  /// The path of a PEM file with the certificate and its chain.
  package var certificate: String?
  /// The path of a PEM file with the certificate's private key.
  package var privateKey: String?
}

/// The listeners for the operator's tools.
package struct OperationsSettings: Sendable, Equatable {
  /// Addresses on which `/metrics` is served; on loopback listeners only when empty.
  package var listen: [ListenAddress] = []
}

/// The page for operators at `/dashboard`.
package struct DashboardSettings: Sendable, Equatable {
  package var mode = DashboardMode.operations
}

/// The listeners that serve the dashboard.
package enum DashboardMode: String, Sendable, CaseIterable {
  /// Those that serve `/metrics`.
  case operations
  /// All.
  case everywhere
  /// None.
  case off
}

/// Going down in an orderly way.
package struct DrainSettings: Sendable, Equatable {
  /// The longest time between SIGTERM and the end of the process.
  package var timeoutMilliseconds: Int64 = 30_000
}

/// The settings of writing events to their subscribers.
package struct FanOutSettings: Sendable, Equatable {
  /// The use of a feature of the kernel.
  package enum Use: String, Sendable, CaseIterable {
    /// Used if the kernel allows it.
    case auto
    case off
  }

  /// Writing to many sockets by one system call.
  package var ioUring = Use.auto
}

/// permessage-deflate.
package struct CompressionSettings: Sendable, Equatable {
  /// The largest number of connections that keep a compression window; up to 40 KiB each.
  package var contexts = 0
}

/// Severity and shape of the lines on standard error.
package struct LogSettings: Sendable, Equatable {
  /// The severity from which on events are logged; the raw values are those of swift-log.
  package enum Level: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  /// The shape of a line.
  package enum Format: String, Sendable, CaseIterable {
    case text, json
  }

  package var level = Level.info
  package var format = Format.text
}

/// The log of what is done through the Platform API.
package struct AuditSettings: Sendable, Equatable {
  /// The end of its lines.
  package enum Place: Sendable, Hashable, CustomStringConvertible {
    case off
    case standardError
    case file(String)

    /// Reads a place; `nil` for an empty text.
    package init?(_ text: String) {
      switch text {
      case "": return nil
      case "off": self = .off
      case "stderr": self = .standardError
      default: self = .file(text)
      }
    }

    package var description: String {
      switch self {
      case .off: "off"
      case .standardError: "stderr"
      case .file(let path): path
      }
    }
  }

  package var log = Place.off
  /// Whether messages that are sent are in it.
  package var messages = false
}

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

/// Proxies in front of the server that forward the client's address.
package struct ProxySettings: Sendable, Equatable {
  /// The field of a request that proxies name the client in.
  package enum Field: String, Sendable, CaseIterable {
    case none
    case forwarded
    case xForwardedFor = "x-forwarded-for"
  }

  /// Addresses for proxies that begin with a PROXY header; none when empty.
  package var listen: [ListenAddress] = []
  package var field = Field.none
  /// Networks of the proxies; with none named, any that reaches ``listen`` is one.
  package var trusted: [Network] = []

  /// Whether clients reach the server through a proxy, wherever that is.
  package var isUsed: Bool { !listen.isEmpty || field != .none }
}

/// Posting events to other services.
package struct WebhookSettings: Sendable, Equatable {
  /// The URLs that events are posted to; none when empty.
  package var urls: [String] = []
  /// The secret that the bodies are signed with; present when there is a URL.
  package var secret: Secret?
  /// The events that are posted.
  package var events = EventName.posted
  /// The time limit of a request.
  package var timeoutMilliseconds: Int64 = 5000
  /// The largest number of simultaneous requests to a URL.
  package var concurrency = 16
  /// The time for which an event is tried again.
  package var retrySeconds: Int64 = 86_400
  /// Most events that wait; beyond, the oldest are dropped.
  package var backlogEvents = 1_000_000
}
