internal import ArgumentParser
internal import ParleyProtocol

/// Shows who is in a channel.
struct ListParticipants: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "participants", abstract: "List who is in a channel.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let list = PagedList(
      "\(channel.path)/participants", member: "participants", whenEmpty: "nobody is there",
      columns: [
        .text("user"), .text("nickname"), .text("state"), .text("last seen"), .text("picture"),
      ], row: Self.row)
    try page.show(list, gateway, output)
  }

  private static func row(_ user: JSONNode) -> [String] {
    let presence = user.isTrue("is_online") ? "online" : "offline"
    return [
      user.text("user_id"), user.text("nickname"),
      user.isTrue("is_muted") ? "\(presence), muted" : presence, user.time("last_seen_at"),
      user.text("profile_url"),
    ]
  }
}
