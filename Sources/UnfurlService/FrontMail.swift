import Transport
import Unfurler

/// What other threads tell a front.
enum FrontMail: Sendable {
  /// The look-up for a connection's question has ended.
  case report(UnfurlReport, for: ConnectionID)
  case drain
  case hurry
}
