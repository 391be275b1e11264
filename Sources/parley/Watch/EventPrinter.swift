internal import ParleyClient

/// Writes events to standard output as they come.
protocol EventPrinter {
  /// Tells that the channel has been entered.
  mutating func begin(_ channel: OpenChannel)
  /// Writes an event.
  mutating func print(_ event: WireEvent)
}

/// For programs: one JSON object a line.
struct JSONEventPrinter: EventPrinter {
  func begin(_ channel: OpenChannel) {}

  func print(_ event: WireEvent) {
    // The event of the first connection may come before or after the sequence was asked for.
    if case .connection(.connected) = event.event { return }
    let line = EventJSON.line(event)
    Terminal.write((Terminal.isOutput ? OutputOptions.harmless(line) : line) + "\n")
  }
}

/// For people: lines of text.
struct TextEventPrinter: EventPrinter {
  var log: ConversationLog

  func begin(_ channel: OpenChannel) {
    let title = channel.name.isEmpty ? channel.url : channel.name
    write([log.notice("\(title), \(channel.participantCount) here")])
  }

  mutating func print(_ event: WireEvent) {
    write(log.lines(of: event.event))
  }

  private func write(_ lines: [String]) {
    Terminal.write(lines.map { $0 + "\n" }.joined())
  }
}

extension ConversationLog {
  /// The lines for any event of a client.
  mutating func lines(of event: ParleyEvent) -> [String] {
    switch event {
    case .channel(_, let event): lines(of: event)
    case .connection(let event): EventNotice.text(event).map { [notice($0)] } ?? []
    case .mentioned(let message):
      [notice("mentioned in \(message.channelURL): \(message.message)")]
    case .dropped(let count): [notice("\(count) events came too fast to be shown")]
    }
  }
}
