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
    self.init(
      try AnswerReader.resource { () throws(ResourceError) in try ChannelInfo(json: json) })
  }

  init(_ info: ChannelInfo) {
    let channel = info.channel
    url = channel.url
    name = channel.name
    coverURL = channel.coverURL
    data = channel.data
    customType = channel.customType
    isEphemeral = channel.isEphemeral
    isFrozen = channel.isFrozen
    participantCount = info.participantCount
    operators = channel.operators.map(User.init)
    maxMessageLength = info.maxMessageLength
    createdAt = channel.createdAt
  }
}
