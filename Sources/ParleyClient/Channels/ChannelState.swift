internal import ParleyProtocol
internal import Synchronization

/// The client and the latest properties of a channel; read them through ``BaseChannel``.
public final class ChannelState: Sendable {
  let url: String
  let core: ClientCore
  private let latest: Mutex<ChannelSnapshot>

  init(_ snapshot: ChannelSnapshot, _ core: ClientCore) {
    url = snapshot.url
    self.core = core
    latest = Mutex(snapshot)
  }

  deinit {
    core.channels.forget(url)
  }

  var snapshot: ChannelSnapshot { latest.withLock { $0 } }

  func apply(_ change: SnapshotChange) {
    latest.withLock { change.apply(to: &$0) }
  }
}

/// A change of a channel's state by an event or a response.
enum SnapshotChange: Sendable, Hashable {
  case replaced(ChannelSnapshot)
  case operators([User])
  case participantCount(Int)

  func apply(to snapshot: inout ChannelSnapshot) {
    switch self {
    case .replaced(let newer): snapshot = newer
    case .operators(let operators): snapshot.operators = operators
    case .participantCount(let count): snapshot.participantCount = count
    }
  }
}

/// The state of a channel as the server sent it.
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
