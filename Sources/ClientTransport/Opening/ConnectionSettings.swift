/// The settings of a connection, unchecked.
package struct ConnectionSettings: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  package var serverURL: String
  /// `http://[user:password@]host:port`, through which to connect.
  package var proxyURL: String?
  /// Fields added to the opening handshake, in order; their names and values are checked.
  package var headers: [(name: String, value: String)] = []
  package var compression = CompressionOffer.offered
  package var tls = TLSSettings()
  /// The time limit of an attempt, from the name look-up to the end of the opening handshake.
  package var attemptTimeout: Duration = .seconds(15)
  /// The largest message taken from the server, in bytes; beyond: closed with 1009.
  package var maximumMessageBytes = 1_048_576
  /// Bytes that may wait to be written; beyond, the connection is given up as stalled.
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
  /// Whether the server must prove its identity.
  package enum Verification: Sendable, Hashable {
    /// Its certificate must be valid, trusted and made out to its name.
    case full
    /// Anyone is believed: for experiments only.
    case none
  }

  package var verification = Verification.full
  /// PEM files of authorities that are trusted beside the system's.
  package var authorityPaths: [String] = []
  /// PEM texts of authorities that are trusted beside the system's.
  package var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  package var serverName: String?

  package init() {}
}
