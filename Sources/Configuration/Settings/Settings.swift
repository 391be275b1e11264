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
