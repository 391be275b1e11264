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

/// Shows how connections are spread.
struct ConnectionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connections", abstract: "Show how many connections each event loop has.",
    discussion: """
      Queued are those with something that waits to be written. 'sessions list' tells who is \
      connected, 'status' the sums.
      """)

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "/v3/parley/connections")
    try output.show(answer, as: Self.lines)
  }

  private static func lines(_ counts: JSONNode) -> [String] {
    var table = TextTable([
      .text("loop"), .number("connections"), .number("sessions"), .number("queued"),
    ])
    for (index, loop) in counts.list("reactors").enumerated() {
      table.add([
        String(index + 1), loop.number("connections"), loop.number("sessions"),
        loop.number("queued"),
      ])
    }
    table.add(["all", counts.number("connections"), counts.number("sessions"), ""])
    return table.lines(whenEmpty: "no loops")
  }
}

/// Ends a gateway in good order.
struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Have a gateway send its clients elsewhere and end.",
    discussion: "The same as SIGTERM: what was accepted is stored and answered first.")

  @OptionGroup var confirmation: Confirmation
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try confirmation.ask("Have the gateway end?")
    let answer = try gateway.client().call("POST", "/v3/parley/drain")
    try output.show(answer, as: "the gateway is draining")
  }
}
