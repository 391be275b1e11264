import Transport
import Unfurler

/// What other threads tell a front.
enum FrontMail: Sendable {
  /// The look-up for a connection's question has ended.
  case report(UnfurlReport, for: ConnectionID)
  /// Whether the loop still takes turns is asked.
  case pulse(answer: @Sendable () -> Void)
  case drain
  case hurry
}
