/// The change of a channel's state by an event or an answer.
enum ChannelChange: Sendable, Hashable {
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
