/// What an engine connects to, and its limits.
struct EngineConfiguration: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  var serverURL: String
  /// Until when a call must be answered, sending it again after a reconnection included.
  var requestTimeout: Duration = .seconds(10)
  /// How long a first connection is tried.
  var connectTimeout: Duration = .seconds(30)
  /// How long one attempt may take, from the name look-up to the end of the opening handshake.
  var attemptTimeout: Duration = .seconds(15)
  /// Calls that wait for their answers; beyond: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingCalls = 1000
  /// Bytes of calls that wait for their answers; beyond: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingBytes = 4_194_304
  /// The largest message taken from the server; beyond: the connection is closed with 1009.
  var maximumMessageBytes = 1_048_576
  var tls = TLSSettings()
  /// `http://[user:password@]host:port`, through which to connect.
  var proxyURL: String?
  /// Whether `permessage-deflate` is offered.
  var compression = CompressionOffer.offered
  /// Fields added to the opening handshake, in order; their names and values are checked.
  var headers: [(name: String, value: String)] = []
  var backoff = Backoff.Settings()

  init(serverURL: String) {
    self.serverURL = serverURL
  }
}

/// Whether a client offers to compress messages.
enum CompressionOffer: Sendable, Hashable {
  case offered
  case notOffered
}

/// How a server is verified.
struct TLSSettings: Sendable, Hashable {
  /// Whether the server must prove who it is.
  enum Verification: Sendable, Hashable {
    /// Its certificate must be valid, trusted and made out to its name.
    case full
    /// Anyone is believed: for experiments only.
    case none
  }

  var verification = Verification.full
  /// PEM files of authorities that are trusted beside the system's.
  var authorityPaths: [String] = []
  /// PEM texts of authorities that are trusted beside the system's.
  var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  var serverName: String?
}
