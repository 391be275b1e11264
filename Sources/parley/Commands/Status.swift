internal import ArgumentParser
internal import ParleyProtocol

/// Shows the state of a gateway.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of a gateway, and what needs attention.")

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
    for problem in status.list("problems") {
      fields.add("problem", "\(problem.text("message")): \(problem.text("what_to_do"))")
    }
    if let thumbnails = status["thumbnails"] {
      let isOn = thumbnails.isTrue("is_on")
      let missing = thumbnails.list("missing").compactMap(\.string)
      let state =
        isOn ? "on: " + thumbnails.text("walls") : "off: " + missing.joined(separator: "; ")
      fields.add("thumbnails", state)
      for line in isOn ? missing : [] { fields.add("", line) }
    }
    return fields.lines()
  }
}

/// Shows the connections of each event loop.
struct ConnectionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connections", abstract: "Show the number of connections of each event loop.",
    discussion: """
      Queued connections have data that waits to be written. 'sessions list' prints the users, \
      'status' the totals.
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

/// Shuts a gateway down.
struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Shut a gateway down gracefully.",
    discussion: "The same as SIGTERM: accepted messages are stored and acknowledged first.")

  @OptionGroup var confirmation: Confirmation
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try confirmation.ask("Shut the gateway down?")
    let answer = try gateway.client().call("POST", "/v3/parley/drain")
    try output.show(answer, as: "the gateway is draining")
  }
}
