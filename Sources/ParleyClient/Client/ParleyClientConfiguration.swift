internal import ClientTransport

/// The server address and limits of a client.
public struct ParleyClientConfiguration: Sendable, Hashable {
  /// `ws://host:port` or `wss://host:port`; the path is `/v1/ws` unless given.
  public var serverURL: String
  /// The time limit of a call, including reconnections.
  public var requestTimeout = Duration.seconds(10)
  /// The time limit of the first connection.
  public var connectTimeout = Duration.seconds(30)
  /// The time for which an upload keeps retrying while the server accepts no byte.
  public var uploadTimeout = Duration.seconds(120)
  /// The maximum number of unanswered calls; beyond it: ``ParleyError/tooManyPending(limit:)``.
  public var maximumPendingCalls = 1000
  /// The maximum number of events buffered for each consumer, and for all delegates together.
  ///
  /// Beyond it the oldest events are dropped, and their number is reported.
  public var maximumBufferedEvents = 1000
  /// The largest message accepted from the server, in bytes; a larger one closes the connection.
  public var maximumMessageBytes = 1_048_576
  /// Whether the client receives the events of the user's groups.
  ///
  /// Without them, all calls about groups work, and a ``GroupChannel`` changes only by its own calls.
  public var receivesGroupEvents = true
  /// The verification of a server at a `wss` URL.
  public var tls = TLSOptions()
  /// `http://[user:password@]host:port` of a proxy through which to connect.
  public var proxyURL: String?
  /// The transport of sessions; see <doc:StayingConnected#Transports>.
  public var transport = TransportOption.automatic
  /// Whether the messages of WebSockets may be compressed (`permessage-deflate`).
  public var compression = CompressionOption.offered
  /// The `User-Agent` header of the opening handshake.
  public var userAgent = "ParleyClient-Swift/1"
  /// Additional header fields of the opening handshake, in order.
  public var headers: [HeaderField] = []

  /// Creates a configuration with the address of a server.
  ///
  /// The address is checked when the client connects; an invalid one is
  /// ``ParleyError/invalidConfiguration(_:)``.
  public init(serverURL: String) {
    self.serverURL = serverURL
  }
}

/// The transport of sessions.
public enum TransportOption: Sendable, Hashable {
  /// A WebSocket, or an event stream where WebSockets are blocked.
  case automatic
  /// A WebSocket, always.
  case webSocket
  /// An event stream over plain HTTP, always: it costs client and server more.
  case stream
}

/// Whether messages may be compressed.
public enum CompressionOption: Sendable, Hashable {
  /// The server decides.
  case offered
  /// Never.
  case off
}

/// A header field of the opening handshake.
public struct HeaderField: Sendable, Hashable {
  /// A token, such as `X-Tenant`.
  public var name: String
  /// The value, without line breaks.
  public var value: String

  /// Creates a field.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension ParleyClientConfiguration {
  /// Converts the configuration for the engine.
  var engineConfiguration: EngineConfiguration {
    var engine = EngineConfiguration(serverURL: serverURL)
    engine.requestTimeout = requestTimeout
    engine.connectTimeout = connectTimeout
    engine.maximumPendingCalls = maximumPendingCalls
    engine.maximumMessageBytes = maximumMessageBytes
    engine.receivesGroups = receivesGroupEvents
    engine.tls = tls.settings
    engine.proxyURL = proxyURL
    engine.transport = transport
    engine.compression = compression == .offered ? .offered : .notOffered
    engine.headers = [("User-Agent", userAgent)] + headers.map { ($0.name, $0.value) }
    return engine
  }
}

/// The options for the verification of a server.
public struct TLSOptions: Sendable, Hashable {
  /// Whether the server's certificate is verified.
  public enum Verification: Sendable, Hashable {
    /// The certificate must be valid, trusted and issued for the server's name.
    case full
    /// No verification: for experiments only.
    case none
  }

  /// Whether the server's certificate is verified.
  public var verification = Verification.full
  /// PEM files of certificate authorities trusted in addition to the system's.
  public var authorityPaths: [String] = []
  /// PEM texts of certificate authorities trusted in addition to the system's.
  public var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  public var serverName: String?

  /// Creates options for full verification by the system's authorities.
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
