import Channels
import ParleyProtocol

/// The name of a request: unique in its channel for each author; an empty id stands for no author.
struct RequestKey: Hashable {
  var channelID: Int64
  var userID: String
  var name: String
}

extension RequestKey {
  /// The request of a message; `nil` when the client gave no name.
  init?(_ addition: MessageAddition) {
    let message = addition.new.message
    guard !message.requestID.isEmpty else { return nil }
    self.init(
      channelID: addition.channel.id, userID: message.user?.id ?? "", name: message.requestID)
  }

  var isStorable: Bool { userID.isStorable && name.isStorable }

  // Swift compares texts by canonical equivalence, the database by bytes.
  static func == (first: RequestKey, second: RequestKey) -> Bool {
    first.channelID == second.channelID && first.userID.utf8.elementsEqual(second.userID.utf8)
      && first.name.utf8.elementsEqual(second.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(channelID)
    for byte in userID.utf8 { hasher.combine(byte) }
    for byte in name.utf8 { hasher.combine(byte) }
  }
}

extension String {
  /// Whether PostgreSQL can store the text, which must not contain NUL.
  var isStorable: Bool { !utf8.contains(0) }
}
