internal import ArgumentParser
internal import ParleyClient

/// Prints a channel's events.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Enter a channel, and print its events as they come.",
    discussion: """
      What the user is not shown (the channel's throttle, messages withheld) is told as +N more. \
      Connections that are lost are made again. Ends when the channel is deleted or the user \
      banned, or with Ctrl-C.

      EXAMPLES:
        parley watch lobby --user ada
        parley watch lobby --user ada --json | jq -r 'select(.method == "message.received") | .params.message.message'
      """)

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var session: SessionOptions

  @Flag(
    help: """
      Print each event as a line of JSON: the protocol's notification as it came. Lines about the \
      connection itself have 'event' in place of 'method'.
      """)
  var json = false

  func run() async throws {
    let client = try await session.connect()
    let events = client.wireEvents
    let channel = try await client.openChannel(url: channel.url)
    try await channel.enter()
    var printer: any EventPrinter =
      json ? JSONEventPrinter() : TextEventPrinter(log: ConversationLog(style: .standard))
    printer.begin(channel)
    for await event in events {
      printer.print(event)
      if let failure = ConversationEnd.failure(for: event.event, in: channel) { throw failure }
    }
  }
}
