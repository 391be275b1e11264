internal import Basics
internal import ParleyClient

/// A user's conversation in a channel of either kind: sends what was typed and shows messages of others.
struct ChatConversation {
  /// The handling of a message rejected by flood protection.
  enum Haste {
    /// The error is shown; the user may send the message again.
    case notified
    /// The message is sent again as soon as it is allowed.
    case waits
  }

  private static let pageSize = 200

  let place: ConversationChannel
  let screen: ChatScreen
  let haste: Haste

  var channel: any BaseChannel { place.channel }

  /// Shows the latest messages.
  func showHistory(_ count: Int) async {
    guard count > 0, !channel.isEphemeral else { return }
    let params = MessageListParams()
    params.previousResultSize = count
    await showMessages(around: .now, params) { _ in true }
  }

  /// Shows events until the conversation is over.
  func follow(
    _ events: ParleyEvents<ParleyEvent>, _ withheld: WithheldRange
  ) async
    -> CommandFailure?
  {
    for await event in events where place.includes(event) {
      if let messages = event.withheldMessages { await withheld.add(messages) }
      await screen.show { $0.lines(of: event) }
      if let failure = ConversationEnd.failure(for: event) { return failure }
    }
    return nil
  }

  /// Sends a text.
  func say(_ text: String) async {
    do throws(ParleyError) {
      let message = try await channel.sendUserMessage(text)
      await screen.show { $0.show(message) }
    } catch {
      guard haste == .waits, let wait = error.retryAfter else {
        return await returnToSender(text, error)
      }
      try? await Task.sleep(for: wait)
      await say(text)
    }
  }

  /// Shows which text was rejected, and offers it for another attempt.
  private func returnToSender(_ text: String, _ error: ParleyError) async {
    await notice("not sent: \(DisplayText.quoted(text, limit: 60)): \(error.message)")
    await screen.offer(text)
  }

  /// Shows the users in the channel.
  func showPeople() async {
    do throws(ParleyError) {
      await notice(try await place.people())
    } catch {
      await notice(error.message)
    }
  }

  /// Shows the messages that were withheld.
  func showWithheld(_ withheld: WithheldRange) async {
    guard let range = await withheld.take() else { return await notice("nothing was withheld") }
    let params = MessageListParams()
    params.previousResultSize = 0
    params.nextResultSize = Self.pageSize
    await showMessages(around: .messageID(range.lowerBound), params) { range.contains($0) }
  }

  /// Shows a line that is not a message.
  func notice(_ text: String) async {
    await screen.show { [$0.notice(text)] }
  }

  /// Shows the requested messages of a page, except those already shown.
  private func showMessages(
    around anchor: MessageAnchor, _ params: MessageListParams,
    where isWanted: @Sendable (Int64) -> Bool
  ) async {
    do throws(ParleyError) {
      let messages = try await channel.messages(around: anchor, params: params)
      let wanted = messages.filter { isWanted($0.messageID) }
      await screen.show { log in
        wanted.flatMap { log.hasShown($0.messageID) ? [] : log.show($0) }
      }
    } catch {
      await notice(error.message)
    }
  }
}

/// The range of messages withheld since it was last taken.
actor WithheldRange {
  private var range: ClosedRange<Int64>?

  /// Adds withheld messages to the range.
  func add(_ messages: ThrottledMessages) {
    let first = min(messages.firstMessageID, range?.lowerBound ?? .max)
    let last = max(messages.lastMessageID, range?.upperBound ?? .min)
    if first <= last { range = first...last }
  }

  /// Returns the ids of the first and the last message, and clears the range.
  func take() -> ClosedRange<Int64>? {
    defer { range = nil }
    return range
  }
}
