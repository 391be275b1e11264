/// Every setting of the server, as one value that is made at start and never changes.
///
/// The initial values are the defaults; ``SettingsLoader`` replaces what flags, environment and
/// file say, and decides the two defaults that depend on others (`auth.mode` on the listeners,
/// `reactors` on the machine).
package struct Settings: Sendable, Equatable {
  /// Where clients and back ends connect in plain text.
  package var listen = [SocketAddressText(host: "127.0.0.1", port: 8080)]
  package var tls = TLSSettings()
  package var operations = OperationsSettings()
  package var proxy = ProxySettings()
  package var limits = LimitSettings()
  package var drain = DrainSettings()
  /// The directory in which everything is kept that must survive a restart.
  package var dataDirectory = "./parley-data"
  package var files = FileSettings()
  package var auth = AuthSettings()
  package var unfurl = UnfurlSettings()
  package var fanOut = FanOutSettings()
  package var webhooks = WebhookSettings()
  package var compression = CompressionSettings()
  /// The number of event loops, each on a thread of its own; at least 1 once loaded.
  package var reactors = 0
  package var log = LogSettings()

  package init() {}

  /// What holds for the service that looks previews up, unless it is told otherwise.
  static var unfurlService: Settings {
    var settings = Settings()
    settings.listen = [SocketAddressText(host: "127.0.0.1", port: 8090)]
    return settings
  }

  /// Every address that the server listens on: plain, TLS, operations and for proxies.
  package var allListeners: [SocketAddressText] {
    listen + tls.listen + operations.listen + proxy.listen
  }

  /// Whether others than this machine's own processes can reach the server, themselves or through
  /// a proxy.
  package var isExposed: Bool { proxy.isUsed || !allListeners.allSatisfy(\.isLoopback) }
}

/// Listening with TLS.
package struct TLSSettings: Sendable, Equatable {
  /// Where clients and back ends connect with TLS; none when empty.
  package var listen: [SocketAddressText] = []
  /// The path of a PEM file with the certificate and its chain.
  package var certificate: String?
  /// The path of a PEM file with the certificate's private key.
  package var privateKey: String?
}

/// The listeners for the operator's tools.
package struct OperationsSettings: Sendable, Equatable {
  /// Where `/metrics` is served; on loopback listeners only when empty.
  package var listen: [SocketAddressText] = []
}

/// The files of messages.
package struct FileSettings: Sendable, Equatable {
  /// The base of the addresses of files; that of the uploading request when absent.
  package var publicURL: String?
}

/// Going down in an orderly way.
package struct DrainSettings: Sendable, Equatable {
  /// The longest time between SIGTERM and the end of the process.
  package var timeoutMilliseconds: Int64 = 30_000
}

/// How events are written to their subscribers.
package struct FanOutSettings: Sendable, Equatable {
  /// Whether something of the kernel's is used.
  package enum Use: String, Sendable, CaseIterable {
    /// Where the kernel allows it.
    case auto
    case off
  }

  /// Writing to many sockets by one system call.
  package var ioUring = Use.auto
}

/// permessage-deflate.
package struct CompressionSettings: Sendable, Equatable {
  /// How many connections may keep a compression window between messages; up to 40 KiB each.
  package var contexts = 0
}

/// What is logged to standard error, and how.
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
