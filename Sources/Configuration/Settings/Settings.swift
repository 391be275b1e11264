package import Basics
package import ParleyProtocol

/// All settings of the server, as one value that is created at start and never changes.
///
/// The initial values are the defaults. ``SettingsLoader`` replaces those set by flags, environment and
/// file, and computes the two defaults that depend on others (`auth.mode` on the listeners, `reactors`
/// on the machine).
package struct Settings: Sendable, Equatable {
  /// Addresses for clients and back ends in plain text.
  package var listen = [ListenAddress.loopback(port: 8080)]
  package var tls = TLSListenSettings()
  package var operations = OperationsSettings()
  package var dashboard = DashboardSettings()
  package var proxy = ProxySettings()
  package var limits = LimitSettings()
  package var drain = DrainSettings()
  /// The directory for all data that must survive a restart.
  package var dataDirectory = "./parley-data"
  package var store = StoreSettings()
  package var cluster = ClusterSettings()
  package var files = FileSettings()
  package var thumbnails = ThumbnailSettings()
  package var translation = TranslationSettings()
  package var auth = AuthSettings()
  package var unfurl = UnfurlSettings()
  package var groups = GroupSettings()
  package var push = PushSettings()
  package var search = SearchSettings()
  package var fanOut = FanOutSettings()
  package var webhooks = WebhookSettings()
  package var hooks = HookSettings()
  package var compression = CompressionSettings()
  package var streams = StreamSettings()
  /// The number of event loops, each on its own thread; at least 1 after loading.
  package var reactors = 0
  package var log = LogSettings()
  package var audit = AuditSettings()

  package init() {}

  /// The defaults of the link preview service.
  static var unfurlService: Settings {
    var settings = Settings()
    settings.listen = [ListenAddress.loopback(port: 8090)]
    return settings
  }

  /// All addresses that the server listens on: plain, TLS, operations and for proxies.
  package var allListeners: [ListenAddress] {
    listen + tls.listen + operations.listen + proxy.listen
  }

  /// Whether processes outside this machine can reach the server, directly or through a proxy.
  package var isExposed: Bool { proxy.isUsed || !allListeners.allSatisfy(\.isLoopback) }

  /// The file of master keys for encrypted files, unless a command prints them.
  package var masterKeyPath: String { files.masterKeys ?? dataDirectory + "/file-keys" }
}

/// The settings of TLS listeners.
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

/// The settings of an orderly shutdown.
package struct DrainSettings: Sendable, Equatable {
  /// The longest time between SIGTERM and the end of the process.
  package var timeoutMilliseconds: Int64 = 30_000
}

/// The settings for delivering events to subscribers.
package struct FanOutSettings: Sendable, Equatable {
  /// Whether a kernel feature is used.
  package enum Use: String, Sendable, CaseIterable {
    /// Used if the kernel allows it.
    case auto
    case off
  }

  /// Whether one system call writes to many sockets.
  package var ioUring = Use.auto
}

/// permessage-deflate.
package struct CompressionSettings: Sendable, Equatable {
  /// The largest number of connections that keep a compression window; up to 40 KiB each.
  package var contexts = 0
}

/// The severity and format of the lines on standard error.
package struct LogSettings: Sendable, Equatable {
  /// The minimum severity of logged events; the raw values are those of swift-log.
  package enum Level: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  /// The format of a line.
  package enum Format: String, Sendable, CaseIterable {
    case text, json
  }

  package var level = Level.info
  package var format = Format.text
}

/// The log of actions through the Platform API.
package struct AuditSettings: Sendable, Equatable {
  /// The destination of its lines.
  package enum Place: Sendable, Hashable, CustomStringConvertible {
    case off
    case standardError
    case file(String)

    /// Parses a destination; `nil` for an empty text.
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
  /// Whether sent messages are logged.
  package var messages = false
}

/// Proxies in front of the server that forward the client's address.
package struct ProxySettings: Sendable, Equatable {
  /// The request header field in which proxies forward the client's address.
  package enum Field: String, Sendable, CaseIterable {
    case none
    case forwarded
    case xForwardedFor = "x-forwarded-for"
  }

  /// Addresses for proxies that begin with a PROXY header; none when empty.
  package var listen: [ListenAddress] = []
  package var field = Field.none
  /// Networks of trusted proxies; when empty, any peer that reaches ``listen`` is trusted.
  package var trusted: [Network] = []

  /// Whether clients reach the server through any proxy.
  package var isUsed: Bool { !listen.isEmpty || field != .none }
}

/// The settings for posting events to other services.
package struct WebhookSettings: Sendable, Equatable {
  /// The URLs that events are posted to; none when empty.
  package var urls: [String] = []
  /// The secret that signs the bodies; present when there is a URL.
  package var secret: Secret?
  /// The events that are posted.
  package var events = EventName.posted
  /// The time limit of a request.
  package var timeoutMilliseconds: Int64 = 5000
  /// The largest number of simultaneous requests to a URL.
  package var concurrency = 16
  /// The time for which the delivery of an event is retried.
  package var retrySeconds: Int64 = 86_400
  /// The maximum number of waiting events; above that, the oldest are dropped.
  package var backlogEvents = 1_000_000
}
