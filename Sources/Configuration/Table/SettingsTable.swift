internal import Basics
import ParleyProtocol

/// The settings of one program, in the order in which they are listed.
///
/// Flags, environment variables, keys of the file, the help text and the printed defaults are all
/// derived from this table.
struct SettingsTable: Sendable {
  /// All settings of the program.
  let all: [SettingDefinition]
  /// The defaults.
  let defaults: Settings

  private let byName: [String: SettingDefinition]
  private let byFlag: [String: SettingDefinition]
  private let byVariable: [String: SettingDefinition]

  init(_ all: [SettingDefinition], defaults: Settings = Settings()) {
    self.all = all
    self.defaults = defaults
    byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    byFlag = Dictionary(all.map { ($0.flag, $0) }) { first, _ in first }
    byVariable = Dictionary(all.map { ($0.variable, $0) }) { first, _ in first }
  }

  /// The settings of `parleyd`.
  static let gateway = SettingsTable(
    listening + proxies + limits + groups + auth + previews + fetching + thumbnails + translation
      + webhooks + hooks + push + search
      + storage
      + clustering + process)

  /// The settings of `parley-unfurl`: those of the gateway that apply to it, with the same names.
  static let unfurlService = SettingsTable(
    [serviceListening, headTimeout, keepAliveTimeout, previewTimeout] + fetching + ending,
    defaults: .unfurlService)

  /// Finds a setting by its name.
  func definition(named name: String) -> SettingDefinition? { byName[name] }

  /// Finds a setting by its flag, including the dashes.
  func definition(flag: String) -> SettingDefinition? { byFlag[flag] }

  /// Finds a setting by its environment variable.
  func definition(variable: String) -> SettingDefinition? { byVariable[variable] }
}

extension SettingsTable {
  static let network = "the first address of a network and its prefix length, such as 10.0.0.0/8"

  /// Settings for proxies in front of the server.
  static let proxies: [SettingDefinition] = [
    .list(
      "proxy.listen", .restart, \.proxy.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for proxies that send a PROXY header, version 1 or 2.",
      write: \.description, read: { ListenAddress($0) }),
    .choice(
      "proxy.field", .restart, \.proxy.field,
      help: "Header field in which trusted proxies forward the client address."),
    .list(
      "proxy.trusted", .restart, \.proxy.trusted, expected: network,
      help: "Networks of proxies whose forwarded client address is trusted.",
      write: \.description, read: { try? Network(parsing: $0) }),
  ]
}

extension SettingsTable {
  /// The listen addresses of the preview service.
  static let serviceListening = SettingDefinition.list(
    "listen", .restart, \.listen, in: .unfurlService, expected: ListenAddress.expectation,
    help: "Listen addresses for HTTP. Port 0 chooses a free port.",
    write: \.description, read: { ListenAddress($0) })

  /// Settings for the server's listeners.
  static let listening: [SettingDefinition] = [
    .list(
      "listen", .restart, \.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for WebSocket and HTTP without TLS. Port 0 chooses a free port.",
      write: \.description, read: { ListenAddress($0) }),
    .list(
      "tls.listen", .restart, \.tls.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for WebSocket and HTTP over TLS.",
      write: \.description, read: { ListenAddress($0) }),
    .optional(
      "tls.certificate", .restart, \.tls.certificate, expected: "the path of a PEM file",
      help: "Certificate and its chain. SIGHUP reads the file again.", read: { $0 }),
    .optional(
      "tls.private_key", .restart, \.tls.privateKey, expected: "the path of a PEM file",
      help: "Private key of the certificate. SIGHUP reads the file again.", read: { $0 }),
    .list(
      "operations.listen", .restart, \.operations.listen, expected: ListenAddress.expectation,
      help:
        "Listen addresses for /metrics. Without any, loopback listeners serve it unless a proxy is set.",
      write: \.description, read: { ListenAddress($0) }),
    .choice(
      "dashboard.mode", .reload, \.dashboard.mode,
      help:
        "Listeners that serve the dashboard: those that serve /metrics (operations), all, or none."),
  ]

  /// Settings for the process: files, threads, shutdown and log.
  static let process = resources + auditing + ending

  private static let keyExpectation = "a text of visible ASCII characters without a colon"

  private static let readKey: @Sendable (String) -> Secret? = { text in
    text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }
      ? Secret(text) : nil
  }

  private static let resources: [SettingDefinition] = [
    .text(
      "data_dir", .restart, \.dataDirectory, expected: "the path of a directory",
      help: "Directory of the database and other files. It is created if missing."),
    .value(
      "files.store", .restart, \.files.store, expected: FilePlace.expectation,
      help: "Place of uploaded files. A directory or bucket may be shared by several servers.",
      write: \.description, read: { FilePlace($0) }),
    .optional(
      "files.s3_key", .restart, \.files.bucketKey, .secret, expected: keyExpectation,
      help: "Access key of the bucket in files.store.", read: readKey),
    .optional(
      "files.s3_secret", .restart, \.files.bucketSecret, .secret, expected: keyExpectation,
      help: "Secret of the access key. Prefer the environment or a file to the flag.",
      read: readKey),
    .optional(
      "files.public_url", .restart, \.files.publicURL,
      absent: .described("scheme and Host of the upload request"),
      expected: "an http or https URL of at most 512 bytes and without a query",
      help: "Base URL of uploaded files.",
      read: { text in
        ServiceURLText.read(text).flatMap { $0.utf8.count <= 512 && !$0.contains("?") ? $0 : nil }
      }),
    .choice(
      "files.encryption", .restart, \.files.encryption,
      help: "Encrypt all files of messages, which then need a key, or only those that ask for it."),
    .optional(
      "files.master_keys", .restart, \.files.masterKeys,
      absent: .described("file-keys in data_dir"),
      expected: "the path of a file",
      help: "File with the master keys, one 'id base64' a line, the current one first.",
      read: { $0.isEmpty ? nil : $0 }),
    .optional(
      "files.master_key_command", .restart, \.files.masterKeyCommand, .secret,
      expected: "a shell command",
      help: "Command that prints the master keys, run at the start and on SIGHUP.",
      read: { $0.isEmpty ? nil : $0 }),
    .integer(
      "files.key_seconds", .restart, \.files.keySeconds, in: 1...31_536_000, unit: "seconds",
      help: "Time for which a user's key opens files."),
    .integer(
      "files.grace_seconds", .restart, \.files.graceSeconds, in: 0...86_400, unit: "seconds",
      help: "Time for which a participant may read files after its connection was lost."),
    .integer(
      "reactors", .restart, \.reactors, in: 1...1024, unit: "a number of threads",
      orElse: .described("number of processor cores"),
      help: "Number of event loops. Each has a thread of its own."),
    .choice(
      "fan_out.io_uring", .restart, \.fanOut.ioUring,
      help:
        "Use io_uring to write to many subscribers with one system call, if the kernel allows it."),
    .choice(
      "streams.mode", .reload, \.streams.mode,
      help: "Whether clients that cannot open WebSockets may use Server-Sent Events."),
    .integer(
      "streams.grace_seconds", .reload, \.streams.graceSeconds, in: 1...3_600, unit: "seconds",
      help: "Time for which a stream stays open without a request for its events."),
    .integer(
      "compression.contexts", .restart, \.compression.contexts, in: 0...1_000_000,
      unit: "a number of connections",
      help: "Connections that may keep a compression window between messages, up to 40 KiB each."),
  ]

  /// Settings for the log of actions through the Platform API.
  private static let auditing: [SettingDefinition] = [
    .value(
      "audit.log", .restart, \.audit.log, expected: "off, stderr or the path of a file",
      help:
        "Log of the calls of the Platform API that change something. SIGHUP opens the file again.",
      write: \.description, read: { AuditSettings.Place($0) }),
    .toggle(
      "audit.messages", .restart, \.audit.messages,
      help: "Whether messages sent through the Platform API are in the audit log."),
  ]

  /// Settings for shutdown and log.
  static let ending: [SettingDefinition] = [
    .integer(
      "drain.timeout_ms", .reload, \.drain.timeoutMilliseconds, in: 0...3_600_000,
      unit: "milliseconds",
      help: "Time limit for a graceful shutdown after SIGTERM."),
    .choice("log.level", .reload, \.log.level, help: "Lowest severity to log."),
    .choice("log.format", .restart, \.log.format, help: "Format of log lines on standard error."),
  ]
}

extension SettingsTable {
  /// The minimum length of a secret that cannot be found by trial.
  static let secretBytes = 16

  /// Settings for webhooks.
  static let webhooks: [SettingDefinition] = [
    .list(
      "webhooks.urls", .restart, \.webhooks.urls, .openWithoutQuery,
      expected: "an http or https URL without credentials",
      help: "URLs that receive events of channels and messages.",
      write: { $0 }, read: WebhookURLText.read),
    .optional(
      "webhooks.secret", .reload, \.webhooks.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret for signing requests. It is required if webhooks.urls is set.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
    .list(
      "webhooks.events", .restart, \.webhooks.events, orElse: .described("all events"),
      expected: "one of " + EventName.posted.map(\.rawValue).joined(separator: ", "),
      help: "Events to post.", write: \.rawValue,
      read: { name in EventName.posted.first { $0.rawValue == name } }),
    .integer(
      "webhooks.timeout_ms", .restart, \.webhooks.timeoutMilliseconds, in: 100...60_000,
      unit: "milliseconds", help: "Time limit for one request."),
    .integer(
      "webhooks.concurrency", .reload, \.webhooks.concurrency, in: 1...256,
      unit: "a number of requests",
      help: "Requests to one URL at the same time, each with events of a different channel."),
    .integer(
      "webhooks.retry_seconds", .reload, \.webhooks.retrySeconds, in: 0...31_536_000,
      unit: "seconds",
      help: "Age up to which a failed event is retried. 0 disables retries."),
    .integer(
      "webhooks.backlog_events", .reload, \.webhooks.backlogEvents, in: 1...100_000_000,
      unit: "a number of events",
      help: "Events that may wait. Beyond this number, the oldest are dropped."),
  ]
}
