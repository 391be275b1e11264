internal import Basics
internal import ArgumentParser
internal import ParleyClient
internal import ParleyProtocol

/// Prints a channel's events.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Enter a channel or take part in a group, and print the events.",
    discussion: """
      Messages withheld by throttling are printed as +N more. The connection is restored when it is \
      lost. The command ends when the channel is deleted, when the user is banned or is no longer \
      a member of the group, or with Ctrl-C.

      EXAMPLES:
        parley watch lobby --user ada
        parley watch --group trip --user ada
        parley watch lobby --user ada --json | jq -r 'select(.method == "message.received") | .params.message.message'
      """)

  @OptionGroup var channel: EitherChannelArgument
  @OptionGroup var session: SessionOptions

  @Flag(
    help: """
      Print each event as one line of JSON: the protocol's notification, unchanged. Lines about the \
      connection have the member 'event' in place of 'method'.
      """)
  var json = false

  @Flag(help: "Also print the unread messages over all groups of the user, when they change.")
  var totals = false

  func run() async throws {
    let client = try await session.connect(for: channel.kind)
    let events = client.wireEvents
    let channel = try await ConversationChannel.enter(channel, client)
    var printer: any EventPrinter =
      json ? JSONEventPrinter() : TextEventPrinter(log: ConversationLog(style: .standard))
    printer.begin(channel)
    if totals { try await client.startWatchingUnreadTotals() }
    for await event in events where channel.includes(event.event) {
      printer.print(event)
      if let failure = ConversationEnd.failure(for: event.event) { throw failure }
    }
  }
}

/// Prints events to standard output.
protocol EventPrinter {
  /// Prints that the channel has been entered.
  mutating func begin(_ channel: ConversationChannel)
  /// Prints an event.
  mutating func print(_ event: WireEvent)
}

/// Prints one JSON object per line, for use by programs.
struct JSONEventPrinter: EventPrinter {
  func begin(_ channel: ConversationChannel) {}

  func print(_ event: WireEvent) {
    // The first connection may be reported before or after the subscription to events.
    if case .connection(.connected) = event.event { return }
    let line = EventJSON.line(event)
    Terminal.write((Terminal.isOutput ? DisplayText.harmless(json: line) : line) + "\n")
  }
}

/// Prints lines of text.
struct TextEventPrinter: EventPrinter {
  var log: ConversationLog

  func begin(_ channel: ConversationChannel) {
    write([log.notice(channel.title)])
  }

  mutating func print(_ event: WireEvent) {
    write(log.lines(of: event.event))
  }

  private func write(_ lines: [String]) {
    Terminal.write(lines.map { $0 + "\n" }.joined())
  }
}

extension ConversationLog {
  /// Returns the lines for an event of a client.
  mutating func lines(of event: ParleyEvent) -> [String] {
    switch event {
    case .channel(_, let event): lines(of: event)
    case .group(_, let event): lines(of: event)
    case .connection(let event): EventNotice.text(event).map { [notice($0)] } ?? []
    case .mentioned(let message):
      [notice("mentioned in \(message.channelURL): \(message.message)")]
    case .unreadTotalsChanged(let totals):
      [
        notice(
          "\(totals.unreadMessageCount) unread messages in \(totals.unreadChannelCount) groups, "
            + "\(totals.unreadMentionCount) mentions, \(totals.invitationCount) invitations")
      ]
    case .dropped(let count):
      [notice("\(count) events were dropped: they arrived faster than they could be printed")]
    }
  }
}

/// Encodes events as JSON, one object per line.
enum EventJSON {
  /// Returns the line for an event: the server's notification unchanged, or, for an event of this
  /// client, an object with `event` in place of `method`.
  static func line(_ event: WireEvent) -> String {
    guard let notification = event.notification else { return line(event.event) }
    return String(decoding: notification.json, as: UTF8.self)
  }

  private static func line(_ event: ParleyEvent) -> String {
    switch event {
    case .connection(let event): line("connection") { $0.state(event) }
    case .dropped(let count): line("dropped") { $0.member("count", count) }
    case .channel(let channel, .recovered(let count)): recovered(channel, count)
    case .group(let group, .recovered(let count)): recovered(group, count)
    case .channel(let channel, .eventsLost):
      line("events_lost") { $0.member("channel_url", channel.url) }
    case .group(let group, .eventsLost):
      line("events_lost") { $0.member("channel_url", group.url) }
    case .channel(let channel, _):
      // All other events of a channel arrive as notifications.
      line("channel") { $0.member("channel_url", channel.url) }
    case .group(let group, _): line("group") { $0.member("channel_url", group.url) }
    case .mentioned: line("mention") { _ in }
    case .unreadTotalsChanged: line("totals") { _ in }
    }
  }

  private static func recovered(_ channel: any BaseChannel, _ count: Int) -> String {
    line("recovered") {
      $0.member("channel_url", channel.url)
      $0.member("count", count)
    }
  }

  private static func line(_ name: String, _ write: (inout JSONWriter) -> Void) -> String {
    let bytes = JSONWriter.bytes {
      $0.object {
        $0.member("event", name)
        write(&$0)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  fileprivate mutating func state(_ event: ConnectionEvent) {
    switch event {
    case .connected: member("state", "connected")
    case .reconnected: member("state", "reconnected")
    case .reconnecting(let attempt, _, let reason):
      member("state", "reconnecting")
      member("attempt", attempt)
      member("reason", "\(reason)")
    case .disconnected(let reason):
      member("state", "disconnected")
      member("reason", "\(reason)")
    case .sessionExpiring(let time):
      member("state", "expiring")
      member("expires_at", time)
    case .fileKeyRenewed: member("state", "file_key")
    case .serverDraining: member("state", "draining")
    }
  }
}
