internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands for the reports of messages, users and channels.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "List and decide reports of messages, users and channels.",
    discussion: """
      EXAMPLES:
        parley report list
        parley report show 17
        parley report resolve 17 --note "message deleted, sender muted"
        parley report dismiss 18
      """,
    subcommands: [List.self, Show.self, Resolve.self, Dismiss.self, Reopen.self])

  fileprivate static let path = "/v3/parley/reports"
}

/// The report that a command applies to.
struct ReportArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The report id, from 'report list'.", valueName: "report id"))
  var id: Int64

  /// The path of the report.
  var path: String { "\(ReportCommand.path)/\(id)" }
}

extension ReportCommand {
  /// Lists reports.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List reports, newest first.")

    /// The reports to list.
    enum State: String, ExpressibleByArgument, CaseIterable {
      case open
      case resolved
      case dismissed
      case all
    }

    @Option(help: ArgumentHelp("Only reports in this state.", valueName: "state"))
    var state = State.open

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "/v3/report", query: state == .all ? [] : [("state", state.rawValue)],
        member: "report_logs", whenEmpty: "no reports",
        columns: [
          .number("report"), .text("state"), .text("time"), .text("category"), .text("channel"),
          .text("about"), .text("reporter"), .text("text"),
        ], row: ReportText.row(of:))
      try page.show(list, gateway, output)
    }
  }

  /// Shows a report.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a report, with the message as it was.")

    @OptionGroup var report: ReportArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", report.path)
      try output.show(answer) { ReportText.lines(of: $0) }
    }
  }

  /// Closes a report on which moderators have acted.
  struct Resolve: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resolve", abstract: "Close a report after acting on it.")

    @OptionGroup var decision: ReportDecision

    func run() throws { try decision.make(.resolved) }
  }

  /// Closes a report without acting on it.
  struct Dismiss: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dismiss", abstract: "Close a report without acting on it.")

    @OptionGroup var decision: ReportDecision

    func run() throws { try decision.make(.dismissed) }
  }

  /// Opens a closed report again.
  struct Reopen: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reopen", abstract: "Open a closed report again.")

    @OptionGroup var decision: ReportDecision

    func run() throws { try decision.make(.open) }
  }
}

/// A change of the state of a report.
struct ReportDecision: ParsableArguments {
  @OptionGroup var report: ReportArgument

  @Option(help: ArgumentHelp("A note for other moderators.", valueName: "text"))
  var note: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func make(_ state: AbuseReportState) throws {
    var body = RequestBody()
    body.set("state", state.rawValue)
    body.set("note", note)
    let answer = try gateway.client().call("PUT", report.path, body: body)
    try output.show(answer, as: "report \(report.id) is \(state.rawValue)")
  }
}

/// Formats reports.
private enum ReportText {
  static func row(of report: JSONNode) -> [String] {
    [
      report.number("id"), report.text("state"), report.time("created_at"), category(of: report),
      report["channel"]?.text("channel_url") ?? "", subject(of: report),
      report["reporting_user"]?.text("user_id") ?? "",
      report["reported_message"]?.text("message") ?? report.text("report_description"),
    ]
  }

  static func lines(of report: JSONNode) -> [String] {
    let channel = report["channel"]?.text("channel_url") ?? ""
    var lines = [
      "report \(report.number("id")), \(report.text("state")), of \(report.time("created_at"))",
      "about \(subject(of: report)) in \(channel): \(category(of: report))",
    ]
    if let reporter = report["reporting_user"] { lines.append("by \(reporter.text("user_id"))") }
    if let message = report["reported_message"] {
      let author = message["user"].map { "\($0.text("user_id")): " } ?? ""
      lines.append("message \(message.number("message_id")) of \(message.time("created_at"))")
      lines.append("  \(author)\(message.text("message"))")
      if let name = message["file"]?.text("name"), !name.isEmpty { lines.append("  file \(name)") }
    }
    let (words, note) = (report.text("report_description"), report.text("note"))
    if !words.isEmpty { lines.append("reporter's words: \(words)") }
    if !note.isEmpty { lines.append("note: \(note)") }
    return lines
  }

  private static func category(of report: JSONNode) -> String {
    let name = report.text("custom_report_category_name")
    return name.isEmpty ? report.text("report_category") : name
  }

  private static func subject(of report: JSONNode) -> String {
    let offender = report["offending_user"]?.text("user_id") ?? ""
    return switch report.text("report_type") {
    case "message": "message\(offender.isEmpty ? "" : " of \(offender)")"
    case "user": "user \(offender)"
    default: report.text("report_type")
    }
  }
}
