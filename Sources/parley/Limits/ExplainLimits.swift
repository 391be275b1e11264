internal import ArgumentParser
internal import ParleyProtocol

/// Shows where a channel's limits come from.
struct ExplainLimits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show a channel's limits beside those that it narrows or widens.",
    discussion: "What holds in the channel is in the last line.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let client = try gateway.client()
    let customType = try JSONDocument(client.call("GET", channel.path)).root.text("custom_type")
    let deployment = try client.call("GET", LimitScopeOptions.pathOfDeployment)
    let ofType =
      customType.isEmpty
      ? nil : try client.call("GET", LimitScopeOptions.path(ofCustomType: customType))
    let own = try client.call("GET", LimitScopeOptions.path(ofChannel: channel.url))
    let answer = JSONWriter.bytes {
      $0.object {
        $0.member("deployment", raw: deployment)
        if let ofType { $0.member("custom_type", raw: ofType) }
        $0.member("channel", raw: own)
      }
    }
    try output.show(answer, as: Self.lines)
  }

  private static func lines(_ limits: JSONNode) -> [String] {
    var table = TextTable([.text("of"), .text("flood"), .text("throttle")])
    for (name, limit) in limits.members {
      table.add([
        name.replacing("_", with: " "), LimitsText.text(limit["flood"]),
        LimitsText.text(limit["throttle"]),
      ])
    }
    return table.lines(whenEmpty: "no limits")
  }
}
