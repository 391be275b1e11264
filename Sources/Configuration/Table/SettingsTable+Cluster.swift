extension SettingsTable {
  /// Settings for the database.
  static let storage: [SettingDefinition] = [
    .optional(
      "store.url", .restart, \.store.url, .secret, absent: .described("SQLite in data_dir"),
      expected: "the URL of a PostgreSQL database, such as postgresql://db.internal/parley",
      help: "PostgreSQL database in place of SQLite. Prefer the environment or a file to the flag.",
      read: { StoreURLText.read($0).map(Secret.init) }),
    .integer(
      "store.readers", .restart, \.store.readers, in: 2...256, unit: "a number of connections",
      help: "Connections of this server to PostgreSQL that read."),
    .integer(
      "store.retention_days", .reload, \.store.retentionDays, in: 0...36_500, unit: "days",
      help: "Age at which messages are removed, with their files. 0 keeps them for ever."),
    .table(
      "store.retention", .reload, \.store.retention,
      expected: "a custom type of channels and 0 to 36500 days, such as support=365",
      help:
        "Age in days at which messages are removed, by custom type of the channel. * stands for other types, as store.retention_days does.",
      write: \.description, read: { TypeRetention($0) }),
    .integer(
      "store.keep_messages", .reload, \.store.keptMessageCount, in: 0...1_000_000_000,
      unit: "a number of messages",
      help: "Messages of a channel that are kept, the newest ones. 0 keeps all."),
    .integer(
      "store.deletion_hold_seconds", .restart, \.store.deletionHoldSeconds, in: 0...86_400,
      unit: "seconds",
      help: "Time after a start or a step of the clock in which nothing is deleted for its age."),
  ]

  /// Settings for several servers.
  static let clustering: [SettingDefinition] = [
    clusterBus,
    .text(
      "cluster.name", .restart, \.cluster.name,
      expected: "up to 20 lower-case letters, digits, hyphens and underscores",
      help: "Prefix of names on the bus. Clusters that share a bus need different names.",
      read: ClusterNameText.read),
    .optional(
      "cluster.server_name", .restart, \.cluster.serverName,
      absent: .described("the name of the machine"),
      expected: "up to 63 letters, digits, dots, hyphens and underscores",
      help: "Name of this server in the list of servers. Each server needs another one.",
      read: ServerNameText.read),
    .optional(
      "cluster.secret", .restart, \.cluster.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret for signing messages on the bus, the same on all servers.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
    .integer(
      "cluster.beat_ms", .restart, \.cluster.beatMilliseconds, in: 50...60_000,
      unit: "milliseconds",
      help: "Time between two signs of life of a server."),
    .integer(
      "cluster.server_timeout_ms", .restart, \.cluster.serverTimeoutMilliseconds, in: 200...600_000,
      unit: "milliseconds", help: "Silence after which the other servers declare a server dead."),
    .integer(
      "cluster.call_timeout_ms", .restart, \.cluster.callTimeoutMilliseconds, in: 100...600_000,
      unit: "milliseconds",
      help: "Time for which a call waits for another server, the bus or PostgreSQL."),
    .integer(
      "cluster.isolation_ms", .restart, \.cluster.isolationMilliseconds, in: 100...600_000,
      unit: "milliseconds",
      help:
        "Time without bus or PostgreSQL, while other servers reach it, after which a server drains and joins the cluster again."
    ),
  ]

  private static let clusterBus = SettingDefinition(
    name: "cluster.bus", .restart, \.cluster.bus, shape: .list, disclosure: .secret,
    defaultValue: .described("none: one server"),
    expected: "a redis:// or rediss:// URL, or the word postgresql alone",
    help: "Carrier of messages between servers. It requires store.url. Setting it makes a cluster."
  ) { settings, values throws(SettingDefinition.Refusal) in
    settings.cluster.bus = try BusPlace.read(values)
  } show: {
    $0.cluster.bus == nil ? [] : [Secret("").description]
  }
}
