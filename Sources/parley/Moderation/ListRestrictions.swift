internal import ArgumentParser
internal import ParleyProtocol

/// Shows who is banned or muted.
struct ListRestrictions: ParsableCommand {
  /// Which restrictions.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case ban
    case mute

    /// The member of the answer.
    var listName: String { "\(past)_list" }
    /// What one of them is.
    var past: String { self == .ban ? "banned" : "muted" }
  }

  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List who is banned or muted in a channel.")

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "Which: ban or mute.")
  var kind = Kind.ban

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "\(channel.path)/\(kind.rawValue)", query: page.query)
    try output.show(answer) { Self.lines(ofPage: $0, kind) }
  }

  private static func lines(ofPage page: JSONNode, _ kind: Kind) -> [String] {
    var table = TextTable([.text("user"), .text("nickname"), .text("until"), .text("reason")])
    for entry in page.list(kind.listName) {
      // A ban has its user as a member; a mute is its user with more members.
      let user = entry.present("user") ?? entry
      table.add([
        user.text("user_id"), user.text("nickname"), entry.time("end_at"),
        entry.text("description"),
      ])
    }
    return table.lines(whenEmpty: "nobody is \(kind.past)") + PageOptions.more(page)
  }
}
