internal import ArgumentParser
internal import ParleyProtocol

/// Shows how it goes with each URL.
struct ShowWebhooks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how posting to each URL goes.")

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "/v3/parley/webhooks")
    try output.show(answer, as: Self.lines)
  }

  private static func lines(_ answer: JSONNode) -> [String] {
    let webhooks = answer.list("webhooks")
    guard !webhooks.isEmpty else { return ["no webhooks: webhooks.urls is not set"] }
    return webhooks.enumerated().flatMap { index, webhook in
      (index == 0 ? [] : [""]) + fields(of: webhook)
    }
  }

  private static func fields(of webhook: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("url", webhook.text("url"))
    fields.add("waiting", webhook.number("backlog"))
    fields.add("last success", time("last_success_at", of: webhook))
    fields.add("last failure", time("last_failure_at", of: webhook))
    fields.add("reason", webhook.text("last_failure"))
    fields.add("next attempt", time("next_attempt_at", of: webhook))
    return fields.lines()
  }

  /// - Returns: `nil` for a time that never was.
  private static func time(_ name: String, of webhook: JSONNode) -> String? {
    webhook[name]?.integer.flatMap { $0 == 0 ? nil : UnixTime.text($0) }
  }
}
