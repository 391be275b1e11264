internal import ArgumentParser
internal import ParleyProtocol

/// Shows how a gateway is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how a gateway is doing.")

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "/v3/parley/status")
    try output.show(answer, as: Self.lines)
  }

  private static func lines(_ status: JSONNode) -> [String] {
    var fields = FieldList()
    let reason = status.text("reason")
    fields.add("version", status.text("version"))
    fields.add("state", status.isTrue("is_ready") ? "ready" : "not ready: \(reason)")
    fields.add("up for", status["uptime_ms"]?.integer.map(Milliseconds.inWords))
    for name in ["connections", "sessions", "channels", "participants"] {
      fields.add(name, status.number(name))
    }
    return fields.lines()
  }
}
