extension SettingsTable {
  /// The listen addresses of the preview service.
  static let serviceListening = SettingDefinition.list(
    "listen", \.listen, in: .unfurlService, expected: ListenAddress.expectation,
    help: "Listen addresses for HTTP. Port 0 chooses a free port.",
    write: \.description, read: { ListenAddress($0) })

  /// Settings for the server's listeners.
  static let listening: [SettingDefinition] = [
    .list(
      "listen", \.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for WebSocket and HTTP without TLS. Port 0 chooses a free port.",
      write: \.description, read: { ListenAddress($0) }),
    .list(
      "tls.listen", \.tls.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for WebSocket and HTTP over TLS.",
      write: \.description, read: { ListenAddress($0) }),
    .optional(
      "tls.certificate", \.tls.certificate, expected: "the path of a PEM file",
      help: "Certificate and its chain. SIGHUP reads the file again.", read: { $0 }),
    .optional(
      "tls.private_key", \.tls.privateKey, expected: "the path of a PEM file",
      help: "Private key of the certificate. SIGHUP reads the file again.", read: { $0 }),
    .list(
      "operations.listen", \.operations.listen, expected: ListenAddress.expectation,
      help:
        "Listen addresses for /metrics. Without any, loopback listeners serve it unless a proxy is set.",
      write: \.description, read: { ListenAddress($0) }),
  ]

  /// Settings for the process: files, threads, shutdown and log.
  static let process = resources + ending

  private static let resources: [SettingDefinition] = [
    .text(
      "data_dir", \.dataDirectory, expected: "the path of a directory",
      help: "Directory of the database and other files. It is created if missing."),
    .optional(
      "files.public_url", \.files.publicURL,
      absent: .described("scheme and Host of the upload request"),
      expected: "an http or https URL of at most 512 bytes and without a query",
      help: "Base URL of uploaded files.",
      read: { text in
        ServiceURLText.read(text).flatMap { $0.utf8.count <= 512 && !$0.contains("?") ? $0 : nil }
      }),
    .integer(
      "reactors", \.reactors, in: 1...1024, unit: "a number of threads",
      orElse: .described("number of processor cores"),
      help: "Number of event loops. Each has a thread of its own."),
    .choice(
      "fan_out.io_uring", \.fanOut.ioUring,
      help:
        "Use io_uring to write to many subscribers with one system call, if the kernel allows it."),
    .integer(
      "compression.contexts", \.compression.contexts, in: 0...1_000_000,
      unit: "a number of connections",
      help: "Connections that may keep a compression window between messages, up to 40 KiB each."),
  ]

  /// Settings for shutdown and log.
  static let ending: [SettingDefinition] = [
    .integer(
      "drain.timeout_ms", \.drain.timeoutMilliseconds, in: 0...3_600_000, unit: "milliseconds",
      help: "Time limit for a graceful shutdown after SIGTERM."),
    .choice("log.level", \.log.level, help: "Lowest severity to log."),
    .choice("log.format", \.log.format, help: "Format of log lines on standard error."),
  ]
}
