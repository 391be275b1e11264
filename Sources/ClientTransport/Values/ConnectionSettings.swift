/// The settings of a connection, unchecked.
package struct ConnectionSettings: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  package var serverURL: String
  /// `http://[user:password@]host:port` of the proxy to connect through.
  package var proxyURL: String?
  /// Fields added to the opening handshake, in order; their names and values are checked.
  package var headers: [(name: String, value: String)] = []
  package var compression = CompressionOffer.offered
  package var tls = TLSSettings()
  /// The time limit of an attempt, from name resolution to the end of the opening handshake.
  package var attemptTimeout: Duration = .seconds(15)
  /// The largest message accepted from the server, in bytes; beyond it: closed with 1009.
  package var maximumMessageBytes = 1_048_576
  /// The maximum number of queued bytes; beyond it the connection is closed as stalled.
  package var maximumQueuedBytes = 4_456_448

  package init(serverURL: String) {
    self.serverURL = serverURL
  }
}

/// Whether a client offers to compress messages.
package enum CompressionOffer: Sendable, Hashable {
  case offered
  case notOffered
}

/// The options for the verification of a server.
package struct TLSSettings: Sendable, Hashable {
  /// Whether the server's certificate is verified.
  package enum Verification: Sendable, Hashable {
    /// The certificate must be valid, trusted and issued for the server's name.
    case full
    /// No verification: for experiments only.
    case none
  }

  package var verification = Verification.full
  /// PEM files of certificate authorities trusted in addition to the system's.
  package var authorityPaths: [String] = []
  /// PEM texts of certificate authorities trusted in addition to the system's.
  package var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  package var serverName: String?

  package init() {}
}

/// An error in the settings of a connection, found before any attempt.
package enum ConnectionPlanError: Error, Sendable, Hashable {
  /// A setting is invalid; the text names it.
  case invalidConfiguration(String)
}
