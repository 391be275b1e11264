package import FloodControl
package import ParleyProtocol

/// All limits that the server imposes on clients.
package struct LimitSettings: Sendable, Equatable {
  /// The time limit of `session.open` on a new connection.
  package var openTimeoutMilliseconds: Int64 = 10_000
  /// The time between two pings of a connection.
  package var pingIntervalMilliseconds: Int64 = 25_000
  /// The time limit for any input after a ping.
  package var pongTimeoutMilliseconds: Int64 = 10_000
  /// The time limit of a request's head.
  package var headTimeoutMilliseconds: Int64 = 10_000
  /// The time for which a connection is kept open between two HTTP requests.
  package var keepAliveTimeoutMilliseconds: Int64 = 75_000
  /// Spam-flood protection: the messages that one user may send to one channel.
  package var flood = FloodSettings()
  /// The messages that one user may send to all channels together.
  package var userFlood = RateLimit(count: 20, windowMilliseconds: 1000)
  /// Smart throttling: the messages of one channel that are delivered to one participant.
  package var throttle = RateLimit(count: 5, windowMilliseconds: 1000)
  /// Connections of the whole process; 0 derives the limit from the descriptor limit.
  package var connections = 0
  /// Connections per client address; 0 means no limit.
  package var connectionsPerAddress = 0
  /// Connections per client address that have neither opened a session nor sent a complete request; 0
  /// means no limit.
  package var unopenedConnectionsPerAddress = 256
  package var connectionsPerUser = 30
  package var channelsPerUser = 10
  /// Data that applications attach to users, channels and messages.
  package var customData = CustomDataLimits()
  /// The largest message that a client may send over a WebSocket.
  package var messageBytes = 262_144
  /// The number of bytes queued for one connection above which it is closed as a slow consumer.
  package var outboundBytes = 1_048_576
  /// The memory that all connections together may use, in bytes; above 0 after loading.
  package var memoryBytes = 0
  /// The largest body of an HTTP request.
  package var httpBodyBytes = 1_048_576
  /// The largest file that may be uploaded.
  package var fileBytes = 26_214_400
  /// Incomplete uploads of one user; 0 means no limit.
  package var uploadsPerUser = 20
  /// Uploads that one user may create; 0 means no limit.
  package var uploadsPerSecond = 4
  package var uploadsPerMinute = 60
  /// The time for which an incomplete upload, or a file in no message, is kept.
  package var uploadRetentionSeconds: Int64 = 86_400
  /// Bytes of the files of one user; 0 means no limit.
  package var userFileBytes: Int64 = 0
  /// Bytes of all files; 0 means no limit.
  package var filesDiskBytes: Int64 = 0
  /// Bytes of the file system that uploads must leave free.
  package var diskReserveBytes: Int64 = 1_073_741_824
  /// The time for which a send waits for the features it requests; 0 disables waiting.
  package var sendWaitMilliseconds: Int64 = 2_000
  /// The time limit of an upload's body.
  package var uploadTimeoutMilliseconds: Int64 = 600_000
  /// Invalid file keys that one address may send; 0 means no limit.
  package var fileKeyFailuresPerSecond = 20
  /// Calls of one connection other than `message.send`.
  package var calls = CallRate(callsPerSecond: 100, burst: 300)
  /// Pages fetched for one user by `preview.fetch`; 0 means no limit.
  package var previewFetchesPerSecond = 2
  /// Messages of one user that are translated on demand; 0 means no limit.
  package var translationsPerSecond = 5
  /// The time limit after which a list or search returns its results so far; 0 means no limit.
  package var queryMilliseconds = 100
  package var quotas = QuotaSettings()
  /// Calls of the Platform API with one token.
  package var platformCalls = CallRate(callsPerSecond: 1000, burst: 3000)
}

/// Spam-flood protection.
package struct FloodSettings: Sendable, Equatable {
  package var limit = RateLimit(count: 5, windowMilliseconds: 1000)
  /// Whether operators of a channel are exempt from the limit, and from that of all channels.
  package var exemptsOperators = false
}

/// Totals of users and of the deployment; 0 means no limit.
package struct QuotaSettings: Sendable, Equatable {
  /// Messages that a user sends in a day of UTC.
  package var userMessagesPerDay = 0
  /// Open channels that a user creates in a day of UTC.
  package var userChannelsPerDay = 100
  /// Groups created by a user that exist.
  package var userGroupsCreated = 2_000
  /// Messages in all channels.
  package var messagesStored: Int64 = 0
  /// Size of the database.
  package var databaseBytes: Int64 = 0
}
