internal import ParleyProtocol

/// A channel as the server showed it at one moment.
struct ChannelSnapshot: Sendable, Hashable {
  var url: String
  var name: String
  var coverURL: String
  var data: String
  var customType: String
  var isEphemeral: Bool
  var isFrozen: Bool
  var participantCount: Int
  var operators: [User]
  var maxMessageLength: Int
  var createdAt: Int64

  init(json: JSONNode) throws(ParleyError) {
    let channel = try AnswerReader.resource { () throws(ResourceError) in
      try ParleyProtocol.Channel(json: json)
    }
    url = channel.url
    name = channel.name
    coverURL = channel.coverURL
    data = channel.data
    customType = channel.customType
    isEphemeral = channel.isEphemeral
    isFrozen = channel.isFrozen
    participantCount = max(0, Int(clamping: json["participant_count"]?.integer ?? 0))
    operators = channel.operators.map(User.init)
    maxMessageLength = Int(
      clamping: json["max_length_message"]?.integer ?? Int64(Limits.messageLength))
    createdAt = channel.createdAt
  }
}
