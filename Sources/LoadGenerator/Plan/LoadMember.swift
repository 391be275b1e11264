/// The behaviour of one connection.
package struct LoadMember: Sendable, Hashable {
  /// How it behaves as a whole.
  package enum Role: Sendable, Hashable {
    /// Reads; storms and churn cut it off.
    case listener
    /// Sends and reads, and is never cut off.
    case sender
    /// Sends far more than it may.
    case abuser
    /// Reads at most this number of bytes per second.
    case slowReader(bytesPerSecond: Int)
  }

  /// How it sends.
  package enum Sending: Sendable, Hashable {
    case never
    /// At fixed times; `phase` is the part of the first interval that passes before the first.
    case paced(perSecond: Double, phase: Double)
    /// As fast as answers arrive, with at most this number of unanswered messages.
    case window(Int)
  }

  package var role: Role
  package var sending: Sending
  /// The channels that it enters, by their places in the plan.
  package var channels: [UInt32]
  /// The channels that it makes first, of which it is an operator.
  package var creates: [UInt32] = []

  package init(_ role: Role, channels: [UInt32], sending: Sending = .never) {
    self.role = role
    self.channels = channels
    self.sending = sending
  }

  var isSlow: Bool {
    if case .slowReader = role { true } else { false }
  }
}
