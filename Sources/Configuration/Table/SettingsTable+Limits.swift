internal import FloodControl

extension SettingsTable {
  private static let day: Int64 = 86_400_000

  /// The bounds on what clients may ask.
  static let limits = timeLimits + rateLimits + sizeLimits

  /// How long the head of a request may take.
  static let headTimeout = SettingDefinition.integer(
    "limits.head_timeout_ms", \.limits.headTimeoutMilliseconds, in: 1...day,
    unit: "milliseconds", help: "Longest time until the head of a request has arrived.")

  private static let timeLimits: [SettingDefinition] = [
    .integer(
      "limits.open_timeout_ms", \.limits.openTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Longest time a connection may go without session.open."),
    .integer(
      "limits.ping_interval_ms", \.limits.pingIntervalMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Time between two pings of a connection."),
    .integer(
      "limits.pong_timeout_ms", \.limits.pongTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Longest silence of a connection after a ping."),
    headTimeout,
    .integer(
      "limits.upload_timeout_ms", \.limits.uploadTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Longest time until the body of an upload has arrived."),
  ]

  private static let rateLimits: [SettingDefinition] = [
    .integer(
      "limits.flood.messages", \.limits.flood.limit.count, in: 0...10_000,
      unit: "a number of messages",
      help: "Messages that a user may send to one channel per window; 0 for any number."),
    .integer(
      "limits.flood.window_ms", \.limits.flood.limit.windowMilliseconds, in: 0...3_600_000,
      unit: "milliseconds", help: "Length of the window for sending; 0 for no limit."),
    .toggle(
      "limits.flood.exempt_operators", \.limits.flood.exemptsOperators,
      help: "Lets operators of a channel send to it without this limit."),
    .integer(
      "limits.throttle.messages", \.limits.throttle.count, in: 0...10_000,
      unit: "a number of messages",
      help: "Messages of one channel that a participant is shown per window; 0 for all."),
    .integer(
      "limits.throttle.window_ms", \.limits.throttle.windowMilliseconds, in: 0...3_600_000,
      unit: "milliseconds", help: "Length of the window for showing; 0 for no limit."),
    .integer(
      "limits.calls_per_second", \.limits.calls.callsPerSecond, in: 0...1_000_000,
      unit: "calls per second",
      help: "Calls of one connection other than message.send; 0 for any number."),
    .integer(
      "limits.calls_burst", \.limits.calls.burst, in: 1...1_000_000, unit: "a number of calls",
      help: "Calls of one connection that may come at once after a pause."),
    .integer(
      "limits.query_ms", \.limits.queryMilliseconds, in: 0...60_000, unit: "milliseconds",
      help: "Time that a list or search may take before it answers in part; 0 for no limit."),
    .integer(
      "limits.platform_calls_per_second", \.limits.platformCalls.callsPerSecond,
      in: 0...1_000_000, unit: "calls per second",
      help: "Calls of the Platform API with one token; 0 for any number."),
    .integer(
      "limits.platform_calls_burst", \.limits.platformCalls.burst, in: 1...1_000_000,
      unit: "a number of calls",
      help: "Calls with one token that may come at once after a pause."),
  ]

  private static let sizeLimits: [SettingDefinition] = [
    .integer(
      "limits.connections", \.limits.connections, in: 0...10_000_000,
      unit: "a number of connections",
      help: "WebSockets of the whole server; 0 for as many as its descriptors allow."),
    .integer(
      "limits.connections_per_address", \.limits.connectionsPerAddress, in: 0...10_000_000,
      unit: "a number of connections",
      help: "Connections of one address, an IPv6 /64 being one; 0 for any number."),
    .integer(
      "limits.unopened_connections_per_address", \.limits.unopenedConnectionsPerAddress,
      in: 0...10_000_000, unit: "a number of connections",
      help: "Connections of one address without a session or a whole request; 0 for any number."),
    .integer(
      "limits.connections_per_user", \.limits.connectionsPerUser, in: 1...1_000_000,
      unit: "a number of connections",
      help: "Connections of one user; one more closes the oldest."),
    .integer(
      "limits.channels_per_user", \.limits.channelsPerUser, in: 1...1_000_000,
      unit: "a number of channels", help: "Channels that a user may be in at once."),
    .integer(
      "limits.message_bytes", \.limits.messageBytes, in: 128...134_217_728, unit: "bytes",
      help: "Largest message that a client may send over a WebSocket."),
    .integer(
      "limits.outbound_bytes", \.limits.outboundBytes, in: 262_144...1_073_741_824, unit: "bytes",
      help: "Bytes that may wait to be written to a connection before it is closed."),
    .integer(
      "limits.memory_bytes", \.limits.memoryBytes, in: 0...1_099_511_627_776, unit: "bytes",
      orElse: .described("half the memory of the machine, or of the control group if that is less"),
      help: "Memory that all connections together may hold; 0 for the default."),
    .integer(
      "limits.http_body_bytes", \.limits.httpBodyBytes, in: 1024...134_217_728, unit: "bytes",
      help: "Largest body of an HTTP request."),
    .integer(
      "limits.file_bytes", \.limits.fileBytes, in: 1...1_099_511_627_776, unit: "bytes",
      help: "Largest file that may be uploaded."),
  ]
}
