/// The deliveries of one channel to one connection.
///
/// Costs one bit for each event of the channel, and a few steps for each delivery.
package struct SubscriptionTrace: Sendable {
  /// A stretch of the channel's events that the connection was in the channel for.
  struct Visit: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// Entered afresh: from then on.
      case entered
      /// Entered again, with what was missed since the visit before.
      case recovered
    }

    let kind: Kind
    /// The last `seq` that does not belong to it.
    let after: Int64
    /// The last `seq` that belongs to it; `nil` while it lasts.
    var through: Int64?
  }

  /// The connection, by its place in the plan; each is a user of its own.
  package let subscriber: UInt32
  /// The channel, by its place in the plan.
  package let channel: UInt32
  /// Whether the user is an operator, who is shown everything.
  package let isOperator: Bool
  private(set) var visits: [Visit] = []
  private(set) var seen = SeqSet(above: 0)
  private(set) var doubled = 0
  private(set) var disordered = 0
  /// Deliveries before the connection was in the channel.
  private(set) var early = 0
  private(set) var fingerprint: UInt64 = 0
  /// The last `seq` that the connection knows of, for recovering from.
  package private(set) var position: Int64 = 0

  package init(subscriber: UInt32, channel: UInt32, isOperator: Bool) {
    self.subscriber = subscriber
    self.channel = channel
    self.isOperator = isOperator
  }

  /// Whether the connection has been in the channel.
  package var hasEntered: Bool { !visits.isEmpty }

  /// Enters without what happened before.
  ///
  /// - Parameter seq: The channel's last `seq`, as the answer gives it.
  package mutating func enter(at seq: Int64) {
    leave()
    if visits.isEmpty { seen = SeqSet(above: seq) }
    visits.append(Visit(kind: .entered, after: seq))
    position = seq
  }

  /// Enters again and is given what it missed; those events are received next.
  package mutating func enterRecovering() {
    leave()
    visits.append(Visit(kind: .recovered, after: position))
  }

  /// All that was missed has been received; the channel's last `seq` is that of the answer.
  package mutating func finishRecovery(at seq: Int64) {
    position = max(position, seq)
  }

  /// The connection is no longer in the channel; nothing is known of what was sent after the last
  /// that came.
  package mutating func leave() {
    guard let last = visits.indices.last, visits[last].through == nil else { return }
    visits[last].through = position
  }

  /// A message came.
  package mutating func receive(seq: Int64, sender: UInt32, number: UInt32) {
    switch seen.insert(seq) {
    case .inserted:
      fingerprint &+= ConfirmedMessage.fingerprint(seq: seq, sender: sender, number: number)
      advance(to: seq)
    case .presentBefore: doubled += 1
    case .outOfRange: early += 1
    }
  }

  /// An update came, or another event with a `seq`; only its order is checked.
  package mutating func receiveOther(seq: Int64) {
    guard seq != position else {
      doubled += 1
      return
    }
    advance(to: seq)
  }

  private mutating func advance(to seq: Int64) {
    if seq <= position { disordered += 1 }
    position = max(position, seq)
  }
}
