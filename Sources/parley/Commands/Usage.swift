internal import ArgumentParser
internal import ParleyProtocol

/// Shows what a deployment stores.
struct UsageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usage",
    abstract: "Show what the deployment stores, and how much of its quotas is used.",
    discussion: """
      Totals are up to a minute old. The channels are those with the most messages, the users those with the \
      most bytes of files.

      EXAMPLES:
        parley usage
        parley usage --user ada
        parley usage --json
      """)

  @Option(help: ArgumentHelp("Show what this user has stored instead.", valueName: "user id"))
  var user: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let query = user.map { [("user_id", $0)] } ?? []
    let answer = try gateway.client().call("GET", "/v3/parley/usage", query: query)
    try output.show(answer, as: user == nil ? Self.lines(ofTotals:) : Self.lines(ofUser:))
  }

  private static func lines(ofTotals usage: JSONNode) -> [String] {
    var fields = FieldList()
    for name in ["users", "open_channels", "group_channels", "messages", "files"] {
      fields.add(name.replacing("_", with: " "), usage.number(name))
    }
    for (name, value) in usage["bytes"]?.members.map({ ($0.name, $0.node) }) ?? [] {
      fields.add("\(name.replacing("_", with: " ")) bytes", String(value.integer ?? 0))
    }
    fields.add(quotasOf: usage)
    return fields.lines()
      + usage.list("top_channels").map {
        "channel  \($0.text("channel_url"))  \($0.number("messages")) messages"
      }
      + usage.list("top_users").map {
        "user  \($0.text("user_id"))  \($0.number("bytes")) bytes in \($0.number("files")) files"
      }
  }

  private static func lines(ofUser usage: JSONNode) -> [String] {
    var fields = FieldList()
    for name in ["joined_groups", "created_groups", "operated_channels", "files", "bytes"] {
      fields.add(name.replacing("_", with: " "), usage.number(name))
    }
    fields.add(quotasOf: usage)
    return fields.lines()
  }
}

extension FieldList {
  /// Adds a line for each quota in the answer of a call.
  mutating func add(quotasOf answer: JSONNode) {
    for quota in answer.list("quotas") {
      add(quota.text("name"), "\(quota.number("used")) of \(quota.number("limit"))")
    }
  }
}
