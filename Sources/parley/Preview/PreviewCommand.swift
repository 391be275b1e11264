internal import ArgumentParser

/// What previews are, and why.
struct PreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Find links, read pages, and ask a gateway about its link previews.",
    discussion: """
      detect and extract work here, on standard input; explain, list and purge ask a running gateway.

      EXAMPLES:
        echo 'see sendbird.com!' | parley preview detect
        curl -s https://example.com/ | parley preview extract --url https://example.com/
        parley preview explain https://example.com/
        parley preview list --domain example.com
        parley preview purge --url https://example.com/
      """,
    subcommands: [
      DetectCommand.self, ExtractCommand.self, ExplainCommand.self, ListCommand.self,
      PurgeCommand.self,
    ])
}
