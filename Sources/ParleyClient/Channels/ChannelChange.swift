/// What an event or an answer changes in what is known of a channel.
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
