extension SettingsTable {
  /// Listeners of the service that looks previews up.
  static let serviceListening = SettingDefinition.list(
    "listen", \.listen, in: .unfurlService, expected: ListenAddress.expectation,
    help: "Addresses for HTTP in plain text; port 0 picks a free one.",
    write: \.description, read: { ListenAddress($0) })

  /// Listeners of the server.
  static let listening: [SettingDefinition] = [
    .list(
      "listen", \.listen, expected: ListenAddress.expectation,
      help: "Addresses for WebSocket and HTTP in plain text; port 0 picks a free one.",
      write: \.description, read: { ListenAddress($0) }),
    .list(
      "tls.listen", \.tls.listen, expected: ListenAddress.expectation,
      help: "Addresses for WebSocket and HTTP over TLS.",
      write: \.description, read: { ListenAddress($0) }),
    .optional(
      "tls.certificate", \.tls.certificate, expected: "the path of a PEM file",
      help: "PEM file with the certificate and its chain; read again on SIGHUP.", read: { $0 }),
    .optional(
      "tls.private_key", \.tls.privateKey, expected: "the path of a PEM file",
      help: "PEM file with the certificate's private key; read again on SIGHUP.", read: { $0 }),
    .list(
      "operations.listen", \.operations.listen, expected: ListenAddress.expectation,
      help: "Addresses for /metrics; without one it is on loopback, unless there is a proxy.",
      write: \.description, read: { ListenAddress($0) }),
  ]

  /// The process: its files, threads, end and log.
  static let process = resources + ending

  private static let resources: [SettingDefinition] = [
    .text(
      "data_dir", \.dataDirectory, expected: "the path of a directory",
      help: "Directory of the database and other files; created when missing."),
    .optional(
      "files.public_url", \.files.publicURL,
      absent: .described("scheme and Host of the request that uploads"),
      expected: "an http or https URL of at most 512 bytes and without a query",
      help: "Base of the addresses under which files are served.",
      read: { text in
        ServiceURLText.read(text).flatMap { $0.utf8.count <= 512 && !$0.contains("?") ? $0 : nil }
      }),
    .integer(
      "reactors", \.reactors, in: 1...1024, unit: "a number of threads",
      orElse: .described("number of cores"),
      help: "Event loops, each on a thread of its own."),
    .choice(
      "fan_out.io_uring", \.fanOut.ioUring,
      help: "Write to many subscribers by one system call, where the kernel allows io_uring."),
    .integer(
      "compression.contexts", \.compression.contexts, in: 0...1_000_000,
      unit: "a number of connections",
      help: "Connections that may keep a compression window between messages."),
  ]

  /// The end of the process, and its log.
  static let ending: [SettingDefinition] = [
    .integer(
      "drain.timeout_ms", \.drain.timeoutMilliseconds, in: 0...3_600_000, unit: "milliseconds",
      help: "Longest time between SIGTERM and the end of the process."),
    .choice("log.level", \.log.level, help: "Severity from which on events are logged."),
    .choice("log.format", \.log.format, help: "Shape of the lines on standard error."),
  ]
}
