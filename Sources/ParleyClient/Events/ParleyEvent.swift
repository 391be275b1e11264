/// An event of a client that is not an answer to a call.
public enum ParleyEvent: Sendable {
  /// Something happened in a channel that was entered.
  case channel(OpenChannel, OpenChannelEvent)
  /// Something happened to the connection.
  case connection(ConnectionEvent)
  /// The current user was mentioned in a channel that this client has not entered.
  case mentioned(any BaseMessage)
  /// So many events found no room in the buffer of this consumer, which did not keep up.
  case dropped(count: Int)
}
