internal import ArgumentParser
internal import ParleyProtocol

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
