internal import FloodControl
internal import ParleyProtocol

extension SettingsTable {
  private static let day: Int64 = 86_400_000

  /// Limits on clients.
  static let limits =
    timeLimits + rateLimits + keyLimits + customDataLimits + sizeLimits + quotas

  /// The time limit for the head of a request.
  static let headTimeout = SettingDefinition.integer(
    "limits.head_timeout_ms", .restart, \.limits.headTimeoutMilliseconds, in: 1...day,
    unit: "milliseconds", help: "Time limit for receiving the head of a request.")

  /// The time limit for the start of another request.
  static let keepAliveTimeout = SettingDefinition.integer(
    "limits.keep_alive_timeout_ms", .restart, \.limits.keepAliveTimeoutMilliseconds, in: 1...day,
    unit: "milliseconds",
    help: "Time for which a connection without a WebSocket is kept between two requests.")

  private static let timeLimits: [SettingDefinition] = [
    .integer(
      "limits.open_timeout_ms", .reload, \.limits.openTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Time limit from connecting to session.open."),
    .integer(
      "limits.ping_interval_ms", .restart, \.limits.pingIntervalMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Interval between pings of a connection."),
    .integer(
      "limits.pong_timeout_ms", .restart, \.limits.pongTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Time limit for receiving any data after a ping."),
    headTimeout,
    keepAliveTimeout,
    .integer(
      "limits.send_wait_ms", .restart, \.limits.sendWaitMilliseconds, in: 0...60_000,
      unit: "milliseconds",
      help:
        "Longest time for which a message waits for thumbnails or translations. 0 sends it at once."
    ),
    .integer(
      "limits.upload_timeout_ms", .restart, \.limits.uploadTimeoutMilliseconds, in: 1...day,
      unit: "milliseconds", help: "Time limit for receiving the body of an upload."),
    .integer(
      "limits.upload_retention_seconds", .restart, \.limits.uploadRetentionSeconds,
      in: 1...31_536_000,
      unit: "seconds",
      help: "Time after which unfinished uploads, and files without a message, are removed."),
  ]

  private static let rateLimits: [SettingDefinition] = [
    .integer(
      "limits.flood.messages", .reload, \.limits.flood.limit.count, in: 0...10_000,
      unit: "a number of messages",
      help: "Messages that a user may send to one channel per window. 0 means unlimited."),
    .integer(
      "limits.flood.window_ms", .reload, \.limits.flood.limit.windowMilliseconds, in: 0...3_600_000,
      unit: "milliseconds", help: "Length of the window for sending. 0 means unlimited."),
    .integer(
      "limits.user_flood.messages", .reload, \.limits.userFlood.count, in: 0...10_000,
      unit: "a number of messages",
      help: "Messages that a user may send to all channels together per window. 0 means unlimited."),
    .integer(
      "limits.user_flood.window_ms", .reload, \.limits.userFlood.windowMilliseconds,
      in: 0...3_600_000,
      unit: "milliseconds",
      help: "Length of the window for sending to all channels. 0 means unlimited."),
    .toggle(
      "limits.flood.exempt_operators", .restart, \.limits.flood.exemptsOperators,
      help: "Exempt the operators of a channel from flood protection."),
    .integer(
      "limits.throttle.messages", .reload, \.limits.throttle.count, in: 0...10_000,
      unit: "a number of messages",
      help: "Messages of one channel that a participant receives per window. 0 means all."),
    .integer(
      "limits.throttle.window_ms", .reload, \.limits.throttle.windowMilliseconds, in: 0...3_600_000,
      unit: "milliseconds", help: "Length of the window for receiving. 0 means unlimited."),
    .integer(
      "limits.calls_per_second", .reload, \.limits.calls.callsPerSecond, in: 0...1_000_000,
      unit: "calls per second",
      help: "Rate of calls of one connection, except message.send. 0 means unlimited."),
    .integer(
      "limits.calls_burst", .reload, \.limits.calls.burst, in: 1...1_000_000,
      unit: "a number of calls",
      help: "Calls that one connection may make at once after a pause."),
    .integer(
      "limits.query_ms", .restart, \.limits.queryMilliseconds, in: 0...60_000, unit: "milliseconds",
      help: "Time limit for a search by filters, which then returns a part. 0 means unlimited."),
    .integer(
      "limits.platform_calls_per_second", .reload, \.limits.platformCalls.callsPerSecond,
      in: 0...1_000_000, unit: "calls per second",
      help: "Rate of calls of the Platform API with one token. 0 means unlimited."),
    .integer(
      "limits.platform_calls_burst", .reload, \.limits.platformCalls.burst, in: 1...1_000_000,
      unit: "a number of calls",
      help: "Calls that may be made with one token at once after a pause."),
    .integer(
      "limits.preview_fetches_per_second", .reload, \.limits.previewFetchesPerSecond,
      in: 0...1_000_000,
      unit: "fetches per second",
      help: "Pages that a user may have fetched per second by preview.fetch. 0 means unlimited."),
    .integer(
      "limits.translations_per_second", .reload, \.limits.translationsPerSecond, in: 0...1_000_000,
      unit: "translations per second",
      help: "Messages that a user may have translated per second on demand. 0 means unlimited."),
    .integer(
      "limits.uploads_per_second", .reload, \.limits.uploadsPerSecond, in: 0...1_000_000,
      unit: "uploads per second",
      help: "Uploads that a user may create per second. 0 means unlimited."),
    .integer(
      "limits.uploads_per_minute", .reload, \.limits.uploadsPerMinute, in: 0...1_000_000,
      unit: "uploads per minute",
      help: "Uploads that a user may create per minute. 0 means unlimited."),
  ]

  private static let keyLimits: [SettingDefinition] = [
    .integer(
      "limits.file_key_failures_per_second", .reload, \.limits.fileKeyFailuresPerSecond,
      in: 0...1_000_000,
      unit: "keys per second",
      help: "False file keys from one IPv4 address or IPv6 /64 network. 0 means unlimited.")
  ]

  private static let customDataLimits: [SettingDefinition] = [
    .integer(
      "limits.custom_type_length", .restart, \.limits.customData.customTypeLength,
      in: 1...CustomDataLimits.most.customTypeLength, unit: "characters",
      help: "Longest custom_type of a channel or message."),
    .integer(
      "limits.data_bytes", .restart, \.limits.customData.dataByteCount,
      in: 1...CustomDataLimits.most.dataByteCount, unit: "bytes",
      help: "Longest data of a channel or message."),
    .integer(
      "limits.metaarray.keys", .restart, \.limits.customData.metaArrays.keyCount,
      in: 1...MetaArrayLimits.most.keyCount, unit: "a number of keys",
      help: "Keys of extra data that a message may have."),
    .integer(
      "limits.metaarray.key_length", .restart, \.limits.customData.metaArrays.keyLength,
      in: 1...MetaArrayLimits.most.keyLength, unit: "characters",
      help: "Longest key of a message's extra data."),
    .integer(
      "limits.metaarray.values", .restart, \.limits.customData.metaArrays.valueCount,
      in: 1...MetaArrayLimits.most.valueCount, unit: "a number of values",
      help: "Values that a key of a message's extra data may have."),
    .integer(
      "limits.metaarray.value_length", .restart, \.limits.customData.metaArrays.valueLength,
      in: 1...MetaArrayLimits.most.valueLength, unit: "characters",
      help: "Longest value of a message's extra data."),
    .integer(
      "limits.metaarray.bytes", .restart, \.limits.customData.metaArrays.byteCount,
      in: 1...MetaArrayLimits.most.byteCount, unit: "bytes",
      help: "Size of all keys and values of a message's extra data together."),
    .integer(
      "limits.metadata.keys", .restart, \.limits.customData.metadata.itemCount,
      in: 1...MetadataLimits.most.itemCount, unit: "a number of keys",
      help: "Keys of metadata of a user or channel, and counters of a channel."),
    .integer(
      "limits.metadata.key_length", .restart, \.limits.customData.metadata.keyLength,
      in: 1...MetadataLimits.most.keyLength, unit: "characters",
      help: "Longest key of metadata or of a counter."),
    .integer(
      "limits.metadata.value_length", .restart, \.limits.customData.metadata.valueLength,
      in: 1...MetadataLimits.most.valueLength, unit: "characters",
      help: "Longest value of metadata."),
    .integer(
      "limits.metadata.user_bytes", .restart, \.limits.customData.metadata.userByteCount,
      in: 1...MetadataLimits.most.userByteCount, unit: "bytes",
      help: "Size of all keys and values of a user's metadata together."),
  ]

  private static let sizeLimits: [SettingDefinition] = [
    .integer(
      "limits.connections", .reload, \.limits.connections, in: 0...10_000_000,
      unit: "a number of connections",
      help: "WebSocket connections of the server. 0 means as many as its file descriptors allow."),
    .integer(
      "limits.connections_per_address", .reload, \.limits.connectionsPerAddress, in: 0...10_000_000,
      unit: "a number of connections",
      help: "Connections from one IPv4 address or IPv6 /64 network. 0 means unlimited."),
    .integer(
      "limits.unopened_connections_per_address", .reload, \.limits.unopenedConnectionsPerAddress,
      in: 0...10_000_000, unit: "a number of connections",
      help: "Connections from one address without a session or complete request. 0 means unlimited."
    ),
    .integer(
      "limits.connections_per_user", .reload, \.limits.connectionsPerUser, in: 1...1_000_000,
      unit: "a number of connections",
      help: "Connections of one user. Another connection closes the oldest."),
    .integer(
      "limits.channels_per_user", .reload, \.limits.channelsPerUser, in: 1...1_000_000,
      unit: "a number of channels", help: "Channels that a user may be in at the same time."),
    .integer(
      "limits.message_bytes", .restart, \.limits.messageBytes, in: 128...134_217_728, unit: "bytes",
      help: "Largest WebSocket message from a client."),
    .integer(
      "limits.outbound_bytes", .restart, \.limits.outboundBytes, in: 262_144...1_073_741_824,
      unit: "bytes",
      help: "Size of the output queue at which a connection is closed."),
    .integer(
      "limits.memory_bytes", .reload, \.limits.memoryBytes, in: 0...1_099_511_627_776,
      unit: "bytes",
      orElse: .described("half the memory of the machine or control group, whichever is less"),
      help: "Memory limit of all connections together. 0 means the default."),
    .integer(
      "limits.http_body_bytes", .restart, \.limits.httpBodyBytes, in: 1024...134_217_728,
      unit: "bytes",
      help: "Largest body of an HTTP request, except uploads."),
    .integer(
      "limits.file_bytes", .restart, \.limits.fileBytes, in: 0...1_099_511_627_776, unit: "bytes",
      help: "Largest file that can be uploaded. 0 turns uploads of users off."),
    .integer(
      "limits.uploads_per_user", .reload, \.limits.uploadsPerUser, in: 0...1_000_000,
      unit: "a number of uploads",
      help: "Unfinished uploads that a user may have. 0 means unlimited."),
    .integer(
      "limits.user_file_bytes", .reload, \.limits.userFileBytes, in: 0...1_125_899_906_842_624,
      unit: "bytes", help: "Size of all files of a user together. 0 means unlimited."),
    .integer(
      "limits.files_disk_bytes", .reload, \.limits.filesDiskBytes, in: 0...1_125_899_906_842_624,
      unit: "bytes", help: "Size of all files together. 0 means unlimited."),
    .integer(
      "limits.disk_reserve_bytes", .restart, \.limits.diskReserveBytes,
      in: 0...1_125_899_906_842_624,
      unit: "bytes", help: "Free space of the file system that uploads leave."),
  ]

  private static let quotas: [SettingDefinition] = [
    .integer(
      "limits.user_messages_per_day", .reload, \.limits.quotas.userMessagesPerDay,
      in: 0...1_000_000_000, unit: "a number of messages",
      help: "Messages that a user may send in a day of UTC. 0 means unlimited."),
    .integer(
      "limits.user_channels_per_day", .reload, \.limits.quotas.userChannelsPerDay,
      in: 0...1_000_000_000, unit: "a number of channels",
      help: "Open channels that a user may create in a day of UTC. 0 means unlimited."),
    .integer(
      "limits.user_groups_created", .reload, \.limits.quotas.userGroupsCreated, in: 0...1_000_000,
      unit: "a number of groups",
      help: "Groups created by a user that may exist. 0 means unlimited."),
    .integer(
      "limits.messages_stored", .reload, \.limits.quotas.messagesStored,
      in: 0...1_000_000_000_000, unit: "a number of messages",
      help: "Messages in all channels, above which users cannot send. 0 means unlimited."),
    .integer(
      "limits.database_bytes", .reload, \.limits.quotas.databaseBytes,
      in: 0...1_125_899_906_842_624, unit: "bytes",
      help: "Size of the database, above which users cannot send. 0 means unlimited."),
  ]
}
