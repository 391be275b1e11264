/// The time for which messages of channels are kept.
package struct RetentionRules: Sendable, Hashable {
  /// Milliseconds by custom type of the channel; 0 keeps the messages for ever.
  package var lifetimes: [String: Int64]
  /// Milliseconds for other custom types; 0 keeps the messages for ever.
  package var otherLifetime: Int64
  /// The number of messages of a channel that are kept, the newest; 0 keeps all.
  package var messageCount: Int

  package init(lifetimes: [String: Int64] = [:], otherLifetime: Int64 = 0, messageCount: Int = 0) {
    self.lifetimes = lifetimes
    self.otherLifetime = otherLifetime
    self.messageCount = messageCount
  }

  /// Whether messages are kept for ever, except in channels that have a time of their own.
  package var keepsAll: Bool { messageCount == 0 && shortestLifetime == nil }

  /// The shortest time of any custom type, in milliseconds; `nil` if none has one.
  package var shortestLifetime: Int64? {
    ([otherLifetime] + lifetimes.values).filter { $0 > 0 }.min()
  }

  /// The age at which messages of a channel are removed, in milliseconds: the shorter one of that of its
  /// custom type and its own; `nil` if they are kept.
  package func lifetime(customType: String, _ own: ChannelRetention) -> Int64? {
    guard !own.isHeld else { return nil }
    let ofType = lifetimes[customType] ?? otherLifetime
    let lifetimes = [ofType > 0 ? ofType : nil, own.survivalSeconds.map { $0 * 1_000 }]
    return lifetimes.compactMap(\.self).min()
  }
}

/// The part of the retention of messages that is set for a channel itself.
package struct ChannelRetention: Sendable, Hashable {
  /// The age at which messages are removed, unless the rule of the deployment removes them earlier; `nil` if
  /// only the rule holds.
  package var survivalSeconds: Int64?
  /// Whether a legal hold keeps all messages: nothing is removed, deleted or edited.
  package var isHeld: Bool

  package init(survivalSeconds: Int64? = nil, isHeld: Bool = false) {
    self.survivalSeconds = survivalSeconds
    self.isHeld = isHeld
  }
}
