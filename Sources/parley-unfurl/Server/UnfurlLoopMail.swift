internal import Transport
internal import Unfurler

/// The messages of other threads to a server.
enum UnfurlLoopMail: Sendable {
  /// The look-up for a question has ended.
  case report(UnfurlReport, for: Exchange.ID)
  /// Whether the loop still takes turns is asked.
  case pulse(answer: @Sendable () -> Void)
  case drain
  case hurry
}
