/// Names a call, so that its answer finds the caller.
package enum CallID: Hashable, Sendable {
  /// A call over a session.
  case session(ReplyAddress)
  /// A call over the Platform API, by the number that its host gave it.
  case platform(UInt64)
}
