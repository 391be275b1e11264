import ParleyProtocol
import Testing

@testable import Channels

@Suite("Notices about participants")
struct PresenceNoticesTests {
  private var notices = PresenceNotices()

  private mutating func note(
    _ userID: String, isPresent: Bool = true, count: Int, at now: Int64
  ) -> String? {
    let change = PresenceChange(user: User(id: userID), session: isPresent ? .sample(1) : nil)
    return notices.note(change, isPresent: isPresent, count: count, at: now).map(text)
  }

  private mutating func take(
    at now: Int64, count: Int, present: Set<String> = []
  ) -> [String] {
    notices.take(at: now, count: count) { present.contains($0) }.map(text)
  }

  private func text(_ notice: PresenceNotice) -> String {
    switch notice {
    case .entered(let change): "+\(change.user.id)"
    case .exited(let change): "-\(change.user.id)"
    case .count: "count"
    }
  }

  @Test("up to 100 participants are announced individually, beyond that only the count")
  mutating func size() {
    #expect(note("ann", count: 100, at: 0) == "+ann" && notices.due == nil)
    #expect(note("ben", count: 101, at: 0) == nil && notices.due == 0)
    #expect(take(at: 0, count: 101) == ["count"] && notices.due == nil)
  }

  @Test("the count is published at most once a second, and only when it differs")
  mutating func pace() {
    _ = note("a", count: 101, at: 0)
    #expect(take(at: 0, count: 101) == ["count"])
    for (index, time) in [Int64(10), 20, 30].enumerated() {
      #expect(note("b\(index)", count: 102 + index, at: time) == nil)
    }
    #expect(notices.due == 1_000 && take(at: 999, count: 104).isEmpty)
    #expect(take(at: 1_000, count: 104) == ["count"])
    _ = note("c", count: 105, at: 1_100)
    _ = note("c", isPresent: false, count: 104, at: 1_200)
    #expect(notices.due == 2_000 && take(at: 2_000, count: 104).isEmpty)
    _ = note("d", count: 105, at: 5_000)
    #expect(notices.due == 5_000)
  }

  @Test("a count already given by individual notices is not published again")
  mutating func knownCount() {
    _ = note("a", count: 101, at: 0)
    #expect(note("b", isPresent: false, count: 100, at: 0) == "-b")
    #expect(take(at: 0, count: 100).isEmpty)
  }

  @Test("a delayed change is announced with the state at publication")
  mutating func held() {
    #expect(note("ann", count: 2, at: 0) == "+ann")
    #expect(note("ann", isPresent: false, count: 1, at: 500) == nil)
    #expect(notices.due == 1_000)
    #expect(take(at: 1_000, count: 1) == ["-ann"])
    #expect(note("ann", count: 2, at: 1_500) == nil)
    #expect(take(at: 2_000, count: 2, present: ["ann"]) == ["+ann"])
  }

  @Test("a delayed change is included in the count once the channel has become large")
  mutating func heldInLarge() {
    _ = note("ann", count: 100, at: 0)
    _ = note("ann", isPresent: false, count: 99, at: 10)
    _ = note("ben", count: 101, at: 20)
    #expect(take(at: 20, count: 101) == ["count"])
    #expect(take(at: 1_000, count: 103).isEmpty && notices.due == 1_020)
    #expect(take(at: 1_020, count: 103) == ["count"])
  }

  @Test("the entering connection is not notified; an exit notice excludes no connection")
  func authors() {
    let change = PresenceChange(user: User(id: "ann"), session: .sample(3))
    #expect(PresenceNotice.entered(change).author == .sample(3))
    let left = PresenceChange(user: User(id: "ann"), session: nil)
    #expect(PresenceNotice.exited(left).author == nil && PresenceNotice.count.author == nil)
  }

  @Test("a notice contains the channel, the time, the user and the count")
  func encoded() throws {
    let origin = EventOrigin(channelURL: "lobby", timestamp: 9)
    let change = PresenceChange(user: User(id: "ann", nickname: "Ann"), session: nil)
    for (notice, method) in [
      (PresenceNotice.entered(change), "channel.user_entered"),
      (.exited(change), "channel.user_exited"), (.count, "channel.participant_count"),
    ] {
      let root = try JSONDocument(
        notice.event(participantCount: 7).notification(from: origin)
      ).root
      #expect(root["method"]?.string == method)
      #expect(root["params"]?["channel_url"]?.string == "lobby")
      #expect(root["params"]?["ts"]?.integer == 9 && root["params"]?["seq"] == nil)
      #expect(root["params"]?["participant_count"]?.integer == 7)
      let name = root["params"]?["user"]?["nickname"]?.string
      #expect(name == (method == "channel.participant_count" ? nil : "Ann"))
    }
  }
}
