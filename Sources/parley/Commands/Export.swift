internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands that copy messages, channels and users out of a gateway.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write messages, channels or users as JSON lines or CSV.",
    discussion: """
      'messages', 'channels' and 'users' print the rows. 'start' has the gateway write them to a \
      compressed file instead, which can be downloaded for 7 days; use it for much data.

      EXAMPLES:
        parley export messages --channel lobby --since 30d > lobby.ndjson
        parley export users --format csv > users.csv
        parley export start messages --since 2026-01-01 --until 2026-02-01
        parley export list messages
        parley export show messages 0123456789abcdef01234567
      """,
    subcommands: [
      Messages.self, Channels.self, Users.self, Start.self, List.self, Show.self,
    ])

  /// The data of an export.
  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case messages
    case channels
    case users
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json
    case csv
  }

  fileprivate static func path(_ subject: Subject) -> String { "/v3/export/\(subject.rawValue)" }
}

/// The rows of an export and their form.
struct ExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only rows from this time on: a duration before now (7d), a day (2026-01-31) or Unix milliseconds.",
      valueName: "time"))
  var since: MomentArgument?

  @Option(help: ArgumentHelp("Only rows up to this time, in the same forms.", valueName: "time"))
  var until: MomentArgument?

  @Option(help: "JSON lines (json), or comma-separated values (csv).")
  var format = ExportCommand.Format.json

  @Option(
    help: ArgumentHelp(
      "The character between the cells of CSV: , ; | or a tab.", valueName: "character"))
  var delimiter: String?

  @Option(
    help: ArgumentHelp(
      "The zone of the times in CSV: UTC, or a difference such as +09:00. (default: UTC)",
      valueName: "zone"))
  var timezone: String?

  func validate() throws {
    if let since, let until, until.milliseconds < since.milliseconds {
      throw ValidationError("--until is before --since")
    }
  }

  /// The parameters of a request.
  fileprivate var parameters: ExportRequest {
    var request = ExportRequest()
    request.numbers = [
      ("start_ts", since?.milliseconds), ("end_ts", until?.milliseconds),
    ]
    request.texts = [
      ("format", format.rawValue), ("csv_delimiter", delimiter), ("timezone", timezone),
    ]
    return request
  }
}

/// The parameters of an export, which are a query or a body.
private struct ExportRequest {
  var numbers: [(String, Int64?)] = []
  var texts: [(String, String?)] = []
  var lists: [(String, [String])] = []
  var flags: [(String, Bool)] = []

  var query: [(String, String)] {
    numbers.compactMap { name, number in number.map { (name, String($0)) } }
      + texts.compactMap { name, text in text.map { (name, $0) } }
      + lists.filter { !$0.1.isEmpty }.map { ($0, $1.joined(separator: ",")) }
      + flags.filter(\.1).map { name, _ in (name, "true") }
  }

  var body: RequestBody {
    var body = RequestBody()
    for (name, number) in numbers { body.set(name, number) }
    for (name, text) in texts { body.set(name, text) }
    for (name, list) in lists { body.set(name, list) }
    for (name, isOn) in flags where isOn { body.set(name, isOn) }
    return body
  }
}

/// The channels and users of an export.
struct ExportSelection: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only this channel or group; may be repeated.", valueName: "url"))
  var channel: [String] = []

  @Option(
    help: ArgumentHelp("All but this channel or group; may be repeated.", valueName: "url"))
  var excludeChannel: [String] = []

  @Option(
    help: ArgumentHelp("Only messages of this user; may be repeated.", valueName: "user id"))
  var sender: [String] = []

  @Option(
    help: ArgumentHelp("Only this user; may be repeated.", valueName: "user id"))
  var user: [String] = []

  @Flag(help: "Show how far the members of groups have read.")
  var readReceipts = false

  fileprivate func add(to request: inout ExportRequest) {
    request.lists = [
      ("channel_urls", channel), ("exclude_channel_urls", excludeChannel), ("sender_ids", sender),
      ("user_ids", user),
    ]
    request.flags = [("show_read_receipt", readReceipts)]
  }
}

extension ExportCommand {
  /// Prints messages.
  struct Messages: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "messages", abstract: "Print messages, oldest first.",
      discussion: """
        Messages that arrive meanwhile are left out. Messages of one channel after another come with \
        --channel.

        EXAMPLES:
          parley export messages --channel lobby > lobby.ndjson
          parley export messages --since 1d --format csv --sender ada
        """)

    @Option(help: ArgumentHelp("Only this channel or group; may be repeated.", valueName: "url"))
    var channel: [String] = []

    @Option(help: ArgumentHelp("All but this channel or group; may be repeated.", valueName: "url"))
    var excludeChannel: [String] = []

    @Option(
      help: ArgumentHelp("Only messages of this user; may be repeated.", valueName: "user id"))
    var sender: [String] = []

    @OptionGroup var options: ExportOptions
    @OptionGroup var gateway: GatewayOptions

    func run() throws {
      var request = options.parameters
      request.lists = [
        ("channel_urls", channel), ("exclude_channel_urls", excludeChannel), ("sender_ids", sender),
      ]
      try ExportStream(.messages, request, try gateway.client()).run()
    }
  }

  /// Prints channels.
  struct Channels: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "channels", abstract: "Print open channels and groups, oldest first.",
      discussion: """
        EXAMPLES:
          parley export channels > channels.ndjson
          parley export channels --channel team --read-receipts
        """)

    @Option(help: ArgumentHelp("Only this channel or group; may be repeated.", valueName: "url"))
    var channel: [String] = []

    @Option(help: ArgumentHelp("All but this channel or group; may be repeated.", valueName: "url"))
    var excludeChannel: [String] = []

    @Flag(help: "Show how far the members of groups have read.")
    var readReceipts = false

    @OptionGroup var options: ExportOptions
    @OptionGroup var gateway: GatewayOptions

    func run() throws {
      var request = options.parameters
      request.lists = [("channel_urls", channel), ("exclude_channel_urls", excludeChannel)]
      request.flags = [("show_read_receipt", readReceipts)]
      try ExportStream(.channels, request, try gateway.client()).run()
    }
  }

  /// Prints users.
  struct Users: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "users", abstract: "Print users, in the order of their ids.",
      discussion: """
        EXAMPLES:
          parley export users > users.ndjson
          parley export users --format csv --delimiter ';'
        """)

    @Option(help: ArgumentHelp("Only this user; may be repeated.", valueName: "user id"))
    var user: [String] = []

    @OptionGroup var options: ExportOptions
    @OptionGroup var gateway: GatewayOptions

    func run() throws {
      var request = options.parameters
      request.lists = [("user_ids", user)]
      try ExportStream(.users, request, try gateway.client()).run()
    }
  }

  /// Starts an export on the gateway.
  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Have the gateway write an export to a compressed file.",
      discussion: """
        The gateway takes one export a minute. 'export show' prints the address of the file once the \
        status is done; the address needs no token.

        EXAMPLES:
          parley export start messages --since 30d
          parley export start users --format csv
        """)

    @Argument(help: "The data to write: messages, channels or users.")
    var data: Subject

    @OptionGroup var selection: ExportSelection
    @OptionGroup var options: ExportOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var request = options.parameters
      selection.add(to: &request)
      let answer = try gateway.client().call("POST", path(data), body: request.body)
      try output.show(answer) { ["export \($0.text("request_id")) is \($0.text("status"))"] }
    }
  }

  /// Lists exports.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the exports of a kind of data, newest first.")

    @Argument(help: "The data: messages, channels or users.")
    var data: Subject

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        path(data), member: "exported_data", whenEmpty: "no exports",
        columns: [
          .text("request"), .text("status"), .text("created"), .number("bytes"), .text("error"),
        ],
        row: { export in
          [
            export.text("request_id"), export.text("status"), export.time("created_at"),
            export["file"]?.isNull == false ? export["file"]?.number("size") ?? "" : "",
            export.text("error"),
          ]
        })
      try page.show(list, gateway, output)
    }
  }

  /// Shows an export.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show an export, with the address of its file.")

    @Argument(help: "The data: messages, channels or users.")
    var data: Subject

    @Argument(help: ArgumentHelp("The id, from 'export start'.", valueName: "request id"))
    var request: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let id = PercentEncoding.encode(pathPart: request)
      let answer = try gateway.client().call("GET", "\(path(data))/\(id)")
      try output.show(answer, as: LongRequestText.lines(of:))
    }
  }
}

/// Prints the rows of an export, page by page: the gateway holds nothing between two pages.
private struct ExportStream {
  private let path: String
  private let request: ExportRequest
  private let client: PlatformClient

  init(_ subject: ExportCommand.Subject, _ request: ExportRequest, _ client: PlatformClient) {
    path = "/v3/parley/export/\(subject.rawValue)"
    self.request = request
    self.client = client
  }

  func run() throws {
    var place: String?
    repeat {
      let answer = try client.callPatiently(
        "GET", path, query: request.query + (place.map { [("after", $0)] } ?? []))
      let page = try OutputOptions.root(of: answer)
      print(page.text("lines"), terminator: "")
      try StandardOutput.flush()
      let next = page.text("next")
      guard next.isEmpty || next != place else {
        throw CommandFailure.unreachable(
          "the export stopped: the server returned the same place twice")
      }
      place = next.isEmpty ? nil : next
    } while place != nil
  }
}

/// Formats long requests.
enum LongRequestText {
  static func lines(of request: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("request", request.text("request_id"))
    fields.add("status", request.text("status"))
    fields.add("created", request.time("created_at"))
    fields.add("updated", request.time("updated_at"))
    fields.add("parameters", request["params"].map { OutputOptions.shown($0.raw) } ?? "")
    if let file = request["file"], !file.isNull {
      fields.add("file", file.text("url"))
      fields.add("bytes", file.number("size"))
      fields.add("until", file.time("expires_at"))
    }
    fields.add("error", request.text("error"))
    return fields.lines()
  }
}
