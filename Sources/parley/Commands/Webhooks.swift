internal import ArgumentParser
internal import ParleyProtocol

/// Commands for webhooks.
struct WebhooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks", abstract: "Show, test and retry webhooks.",
    discussion: """
      EXAMPLES:
        parley webhooks
        parley webhooks test
        parley webhooks retry
      """,
    subcommands: [Status.self, Test.self, Retry.self], defaultSubcommand: Status.self)
}

extension WebhooksCommand {
  /// Shows the state of each webhook.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the backlog and the latest results of each webhook.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/webhooks")
      try output.show(answer, as: Self.lines)
    }

    static func lines(_ answer: JSONNode) -> [String] {
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

    /// - Returns: `nil` for a time of 0, which means never.
    private static func time(_ name: String, of webhook: JSONNode) -> String? {
      webhook[name]?.integer.flatMap { $0 == 0 ? nil : UnixTime.text($0) }
    }
  }
}

extension WebhooksCommand {
  /// Retries the delivery of waiting events.
  struct Retry: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "retry",
      abstract: "Post waiting events again now instead of at their time, and show the webhooks.",
      discussion: """
        Channels are tried a few at once, until a webhook fails again. Webhooks that accept events \
        again are retried without this command.
        """)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("POST", "/v3/parley/webhooks/retry")
      try output.show(answer, as: Status.lines)
    }
  }
}

extension WebhooksCommand {
  /// Posts a test event to each webhook.
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Post a signed test event to each webhook and show the responses.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("POST", "/v3/parley/webhooks/test")
      try output.show(answer, as: Self.lines)
      let failed = try OutputOptions.root(of: answer).list("webhooks").filter {
        !$0.text("problem").isEmpty
      }
      guard failed.isEmpty else {
        throw CommandFailure.refused(
          "\(failed.count) of the webhooks did not accept the event", code: 0)
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
}
