internal import ClientTransport

/// The last messages of groups that this client has received and that the server does not know to be delivered,
/// gathered to one call a second.
final class DeliveryMarks: Sendable {
  /// A message of a group, with all before it.
  struct Mark: Sendable, Hashable {
    let url: String
    let messageID: Int64
  }

  /// The time between two calls.
  static let interval = Duration.seconds(1)
  /// The number of groups in a call.
  static let groupsPerCall = 100

  private struct Marks: Sendable {
    var pending: [String: Int64] = [:]
    /// Whether a call is awaited that has not begun.
    var isAwaited = false
    var lastCall: ContinuousClock.Instant?

    /// The time until the next call may begin.
    func wait(at now: ContinuousClock.Instant) -> Duration {
      guard let lastCall else { return .zero }
      return max(.zero, now.duration(to: lastCall + DeliveryMarks.interval))
    }
  }

  private let marks = Locked(Marks())

  /// Notes a received message.
  ///
  /// - Returns: The time until ``take(at:)`` must be called; `nil` if that is awaited already.
  func note(_ mark: Mark, at now: ContinuousClock.Instant) -> Duration? {
    marks.withLock { marks in
      marks.pending[mark.url] = max(marks.pending[mark.url] ?? 0, mark.messageID)
      guard !marks.isAwaited else { return nil }
      marks.isAwaited = true
      return marks.wait(at: now)
    }
  }

  /// Removes the marks of a call.
  ///
  /// - Returns: At most 100 marks, and the time until the next call if there are more.
  func take(at now: ContinuousClock.Instant) -> (marks: [Mark], next: Duration?) {
    marks.withLock { marks in
      let taken = marks.pending.sorted { $0.key < $1.key }.prefix(Self.groupsPerCall)
      for (url, _) in taken { marks.pending[url] = nil }
      marks.lastCall = now
      marks.isAwaited = !marks.pending.isEmpty
      return (
        taken.map { Mark(url: $0.key, messageID: $0.value) }, marks.isAwaited ? Self.interval : nil
      )
    }
  }

  /// Forgets the marks of a session.
  func forget() { marks.withLock { $0.pending = [:] } }
}

extension ClientCore {
  /// Notes that an event has brought a message of another user.
  func noteDelivery(of event: GroupArrivals.Event, in channel: GroupChannel) {
    guard case .messageReceived(let message) = event.event else { return }
    noteDelivery(of: message, in: channel)
  }

  /// Notes that an answer has brought the last message of a group, unless the server knows.
  func noteDelivery(ofLastMessageIn channel: GroupChannel) {
    let view = channel.state.view
    guard let my = view.my, my.state == .joined, let message = view.lastMessage else { return }
    let userID = currentUser?.userID
    let known = view.members?.first { $0.userID == userID }?.deliveredAt ?? 0
    guard message.createdAt > max(known, my.readAt) else { return }
    noteDelivery(of: message, in: channel)
  }

  private func noteDelivery(of message: any BaseMessage, in channel: GroupChannel) {
    guard let groups = features?.groups, groups.hasDeliveryReceipts,
      channel.mayHaveReceipts(upTo: groups.maxReceiptMembers)
    else { return }
    if let sender = message.sender, sender.userID == currentUser?.userID { return }
    let mark = DeliveryMarks.Mark(url: channel.url, messageID: message.messageID)
    guard let wait = deliveryMarks.note(mark, at: .now) else { return }
    Task { [weak self] in
      var wait: Duration? = wait
      while let pause = wait {
        try? await Task.sleep(for: pause)
        wait = await self?.markDelivered()
      }
    }
  }

  /// Calls the server about messages that were received.
  ///
  /// - Returns: The time until the next call; `nil` if nothing is left.
  private func markDelivered() async -> Duration? {
    let (marks, next) = deliveryMarks.take(at: .now)
    if !marks.isEmpty {
      // A message that could not be marked is marked with the next one, or when the group is read again.
      try? await performPatiently(GroupCalls.markDelivered(marks), waiting: \.pauseOfCalls)
    }
    return next
  }
}

extension GroupChannel {
  fileprivate func mayHaveReceipts(upTo memberCount: Int) -> Bool {
    !isSuper && !isEphemeral && self.memberCount <= memberCount
  }
}
