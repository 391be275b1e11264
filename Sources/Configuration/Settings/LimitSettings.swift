package import FloodControl
package import ParleyProtocol

/// Every bound on what clients may ask of the server.
package struct LimitSettings: Sendable, Equatable {
  /// The time limit of `session.open` on a new connection.
  package var openTimeoutMilliseconds: Int64 = 10_000
  /// The time between two pings of a connection.
  package var pingIntervalMilliseconds: Int64 = 25_000
  /// The time limit of any input after a ping.
  package var pongTimeoutMilliseconds: Int64 = 10_000
  /// The time limit of a request's head.
  package var headTimeoutMilliseconds: Int64 = 10_000
  /// The time for which a connection is kept between two HTTP requests.
  package var keepAliveTimeoutMilliseconds: Int64 = 75_000
  /// Spam-flood protection: what one user may send to one channel.
  package var flood = FloodSettings()
  /// Smart throttling: what one participant is shown of one channel.
  package var throttle = RateLimit(count: 5, windowMilliseconds: 1000)
  /// Connections of the whole process; 0 for as many as its descriptors allow.
  package var connections = 0
  /// Connections of one client's address; 0 for any number.
  package var connectionsPerAddress = 0
  /// Connections of one client's address that have neither opened a session nor sent a whole
  /// request; 0 for any number.
  package var unopenedConnectionsPerAddress = 256
  package var connectionsPerUser = 30
  package var channelsPerUser = 10
  /// Data that applications add to users, channels and messages.
  package var customData = CustomDataLimits()
  /// The largest message that a client may send over a WebSocket.
  package var messageBytes = 262_144
  /// Bytes that may wait to be written to one connection before it is closed as a slow consumer.
  package var outboundBytes = 1_048_576
  /// Bytes that all connections together may hold in memory; above 0 once loaded.
  package var memoryBytes = 0
  /// The largest body of an HTTP request.
  package var httpBodyBytes = 1_048_576
  /// The largest file that may be uploaded.
  package var fileBytes = 26_214_400
  /// Uploads of one user that are not complete; 0 for any number.
  package var uploadsPerUser = 20
  /// Uploads that one user may create; 0 for any number.
  package var uploadsPerSecond = 4
  package var uploadsPerMinute = 60
  /// The time for which an upload that is not complete, or a file in no message, is kept.
  package var uploadRetentionSeconds: Int64 = 86_400
  /// Bytes of the files of one user; 0 for any number.
  package var userFileBytes: Int64 = 0
  /// Bytes of all files; 0 for any number.
  package var filesDiskBytes: Int64 = 0
  /// Bytes of the file system that uploads leave free.
  package var diskReserveBytes: Int64 = 1_073_741_824
  /// The time for which a send waits for what it wishes for; 0 for none.
  package var sendWaitMilliseconds: Int64 = 2_000
  /// The time limit of an upload's body.
  package var uploadTimeoutMilliseconds: Int64 = 600_000
  /// False keys for files that one address may bring; 0 for any number.
  package var fileKeyFailuresPerSecond = 20
  /// Calls of one connection other than `message.send`.
  package var calls = CallRate(callsPerSecond: 100, burst: 300)
  /// Pages that are fetched for one user by `preview.fetch`; 0 for any number.
  package var previewFetchesPerSecond = 2
  /// Messages that one user may have translated on demand; 0 for any number.
  package var translationsPerSecond = 5
  /// The time limit after which a list or search answers with its results so far; 0 for no limit.
  package var queryMilliseconds = 100
  /// Calls of the Platform API with one token.
  package var platformCalls = CallRate(callsPerSecond: 1000, burst: 3000)
}

/// Spam-flood protection.
package struct FloodSettings: Sendable, Equatable {
  package var limit = RateLimit(count: 5, windowMilliseconds: 1000)
  /// Whether operators of a channel may send to it without limit.
  package var exemptsOperators = false
}
