import ParleyProtocol

@testable import Channels

/// The log of the channel "lobby", which outlives its homes.
final class SimulatedLog {
  var contents: MemoryLogContents

  init() {
    contents = MemoryLogContents(
      users: ["u0", "u1", "u2", "u3", "last0", "last1", "last2", "away"].map { User(id: $0) })
    let channel = Channel(url: "lobby", operators: [User(id: "u0")], createdAt: 0)
    _ = contents.perform(.create(channel, epoch: "epoch"))
  }

  private var state: ChannelState? {
    guard case .success(.read(.channel(let state))) = contents.answer(.channel(url: "lobby"))
    else { return nil }
    return state
  }

  var lastSeq: Int64 { state?.lastSeq ?? 0 }

  func isBanned(_ userID: String) -> Bool { state?.bans[userID] != nil }

  /// Whether a user was banned by an event after one and up to another.
  func isBanned(_ userID: String, between first: Int64, and last: Int64) -> Bool {
    events(after: first).contains { event in
      guard event.seq <= last,
        case .userBanned(let ban)? = event.event(
          in: ChannelInfo(Channel(url: "lobby", createdAt: 0), participantCount: 0))
      else { return false }
      return ban.user.id == userID
    }
  }

  func events(after seq: Int64) -> [DurableEvent] {
    let read = LogRead.missed(channelID: 1, after: seq, byteLimit: .max, updatesWithin: nil)
    guard case .success(.read(.missed(let events?))) = contents.answer(read) else { return [] }
    return events
  }
}
