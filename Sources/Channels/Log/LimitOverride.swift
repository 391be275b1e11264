/// A limit set for the deployment, a custom type or a channel, in place of a more general one.
package struct LimitOverride: Sendable, Hashable {
  /// Most messages in any window; 0 turns the limit off.
  package var messages: Int
  package var windowMilliseconds: Int64

  package init(messages: Int, windowMilliseconds: Int64) {
    self.messages = messages
    self.windowMilliseconds = windowMilliseconds
  }

  package init?(messages: Int?, windowMilliseconds: Int64?) {
    guard let messages, let windowMilliseconds else { return nil }
    self.init(messages: messages, windowMilliseconds: windowMilliseconds)
  }
}

/// Which limit.
package enum LimitKind: String, Sendable, CaseIterable {
  /// Spam-flood protection.
  case flood
  /// Smart throttling.
  case throttle
}

/// The scope of a limit.
package enum LimitScope: Sendable, Hashable {
  case deployment
  case customType(String)
  /// By URL.
  case channel(String)
}

/// The limits that are set for more than one channel.
package struct LimitOverrides: Sendable, Hashable {
  package var deployment: [LimitKind: LimitOverride] = [:]
  package var customTypes: [String: [LimitKind: LimitOverride]] = [:]

  package init() {}
}
