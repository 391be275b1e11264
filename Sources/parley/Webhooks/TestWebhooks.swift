internal import ArgumentParser
internal import ParleyProtocol

/// Posts an event to each URL.
struct TestWebhooks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Post a signed test event to each URL, and show the answers.")

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("POST", "/v3/parley/webhooks/test")
    try output.show(answer, as: Self.lines)
    let failed = try OutputOptions.root(of: answer).list("webhooks").filter {
      !$0.text("problem").isEmpty
    }
    guard failed.isEmpty else {
      throw CommandFailure.refused("\(failed.count) of the URLs did not take the event", code: 0)
    }
  }

  private static func lines(_ answer: JSONNode) -> [String] {
    var table = TextTable([.text("url"), .number("status"), .text("problem")])
    for webhook in answer.list("webhooks") {
      let status = webhook.number("status")
      table.add([webhook.text("url"), status == "0" ? "-" : status, webhook.text("problem")])
    }
    return table.lines(whenEmpty: "no webhooks")
  }
}
