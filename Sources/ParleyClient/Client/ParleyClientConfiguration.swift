internal import ClientTransport

/// The server address and limits of a client.
public struct ParleyClientConfiguration: Sendable, Hashable {
  /// `ws://host:port` or `wss://host:port`; the path is `/v1/ws` unless given.
  public var serverURL: String
  /// Until when a call must be answered, reconnecting meanwhile included.
  public var requestTimeout = Duration.seconds(10)
  /// The time limit of the first connection.
  public var connectTimeout = Duration.seconds(30)
  /// The time for which an upload goes on trying without the server taking a byte.
  public var uploadTimeout = Duration.seconds(120)
  /// Calls that wait for their answers; beyond: ``ParleyError/tooManyPending(limit:)``.
  public var maximumPendingCalls = 1000
  /// Events that wait for one consumer, and for the delegates together; beyond, the oldest are
  /// dropped, and their number is reported.
  public var maximumBufferedEvents = 1000
  /// The largest message taken from the server, in bytes; a larger one ends the connection.
  public var maximumMessageBytes = 1_048_576
  /// The verification of a server at a `wss` URL.
  public var tls = TLSOptions()
  /// `http://[user:password@]host:port` of a proxy through which to connect.
  public var proxyURL: String?
  /// Whether messages may be compressed on the way (`permessage-deflate`).
  public var compression = CompressionOption.offered
  /// The field `User-Agent` of the opening handshake.
  public var userAgent = "ParleyClient-Swift/1"
  /// More fields of the opening handshake, in order.
  public var headers: [HeaderField] = []

  /// Begins with the address of a server.
  ///
  /// It is looked at when the client connects; a wrong one is
  /// ``ParleyError/invalidConfiguration(_:)``.
  public init(serverURL: String) {
    self.serverURL = serverURL
  }
}

/// Whether messages may be compressed.
public enum CompressionOption: Sendable, Hashable {
  /// The server decides.
  case offered
  /// Never.
  case off
}

/// A field of the opening handshake.
public struct HeaderField: Sendable, Hashable {
  /// A token, such as `X-Tenant`.
  public var name: String
  /// Without line breaks.
  public var value: String

  /// Makes a field.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension ParleyClientConfiguration {
  /// The same in the engine's terms.
  var engineConfiguration: EngineConfiguration {
    var engine = EngineConfiguration(serverURL: serverURL)
    engine.requestTimeout = requestTimeout
    engine.connectTimeout = connectTimeout
    engine.maximumPendingCalls = maximumPendingCalls
    engine.maximumMessageBytes = maximumMessageBytes
    engine.tls = tls.settings
    engine.proxyURL = proxyURL
    engine.compression = compression == .offered ? .offered : .notOffered
    engine.headers = [("User-Agent", userAgent)] + headers.map { ($0.name, $0.value) }
    return engine
  }
}

/// The options for the verification of a server.
public struct TLSOptions: Sendable, Hashable {
  /// Whether the server must prove who it is.
  public enum Verification: Sendable, Hashable {
    /// Its certificate must be valid, trusted and made out to its name.
    case full
    /// Anyone is believed: for experiments only.
    case none
  }

  /// Whether the server must prove who it is.
  public var verification = Verification.full
  /// PEM files of authorities that are trusted beside the system's.
  public var authorityPaths: [String] = []
  /// PEM texts of authorities that are trusted beside the system's.
  public var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  public var serverName: String?

  /// Full verification by the system's authorities.
  public init() {}

  var settings: TLSSettings {
    var settings = TLSSettings()
    settings.verification = verification == .full ? .full : .none
    settings.authorityPaths = authorityPaths
    settings.authorityTexts = authorityTexts
    settings.serverName = serverName
    return settings
  }
}
