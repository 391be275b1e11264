internal import ArgumentParser

/// Where a gateway posts events.
struct WebhooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks", abstract: "Show and try the URLs that events are posted to.",
    discussion: """
      EXAMPLES:
        parley webhooks
        parley webhooks test
      """,
    subcommands: [ShowWebhooks.self, TestWebhooks.self], defaultSubcommand: ShowWebhooks.self)
}
