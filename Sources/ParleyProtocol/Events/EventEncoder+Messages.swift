/// Events about messages.
extension EventEncoder {
  /// A message was sent; `message` is its JSON.
  package static func messageReceived(
    _ origin: EventOrigin, seq: Int64, message: [UInt8]
  ) -> [UInt8] {
    spliced(.messageReceived, origin, seq: seq, message)
  }

  /// A message was changed, by its author, an operator or the server; `message` is its JSON.
  package static func messageUpdated(
    _ origin: EventOrigin, seq: Int64, message: [UInt8]
  ) -> [UInt8] {
    spliced(.messageUpdated, origin, seq: seq, message)
  }

  /// A message was deleted.
  package static func messageDeleted(
    _ origin: EventOrigin, seq: Int64, messageID: Int64
  ) -> [UInt8] {
    channelEvent(.messageDeleted, origin, seq: seq) { $0.member("message_id", messageID) }
  }

  /// A user who is not in the channel was mentioned there; `message` is the message's JSON.
  package static func mentionReceived(_ origin: EventOrigin, message: [UInt8]) -> [UInt8] {
    spliced(.mentionReceived, origin, seq: nil, message)
  }

  /// Messages were withheld by smart throttling; `first` and `last` are their outermost ids.
  package static func throttled(
    _ origin: EventOrigin, withheld: Int, first: Int64, last: Int64
  ) -> [UInt8] {
    channelEvent(.throttled, origin, seq: nil) {
      $0.member("withheld", withheld)
      $0.member("first_message_id", first)
      $0.member("last_message_id", last)
    }
  }

  private static func spliced(
    _ name: EventName, _ origin: EventOrigin, seq: Int64?, _ message: [UInt8]
  ) -> [UInt8] {
    channelEvent(name, origin, seq: seq, reserving: message.count) {
      $0.member("message", raw: message)
    }
  }
}
