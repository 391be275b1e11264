import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("Members who are typing")
final class TypingMembersTests {
  private var typing = TypingMembers()

  /// The members that each of some users is shown, after notices.
  private func take(at now: Int64, limit: Int = 10) -> [String: [String]]? {
    typing.takeNotices(at: now, limit: limit)?.shown(to: ["ann", "ben", "cat"])
  }

  @Test("others are notified of the first at once, and of what follows a second later")
  func first() {
    typing.start("ann", at: 100)
    #expect(take(at: 100) == ["ben": ["ann"], "cat": ["ann"]])
    typing.start("ben", at: 300)
    #expect(take(at: 300) == nil && typing.due == 1_100)
    #expect(take(at: 1_099) == nil)
    #expect(
      take(at: 1_100) == ["ann": ["ben"], "cat": ["ann", "ben"]])
    #expect(take(at: 5_000) == nil && typing.due == 10_100)
  }

  @Test("a repeated call extends the time and causes no notice")
  func repeated() {
    typing.start("ann", at: 0)
    _ = take(at: 0)
    for now in stride(from: Int64(3_000), through: 30_000, by: 3_000) {
      typing.start("ann", at: now)
      #expect(take(at: now) == nil)
    }
    #expect(typing.due == 40_000)
    #expect(take(at: 40_000) == ["ben": [], "cat": []])
    #expect(typing.isIdle && typing.due == nil)
  }

  @Test("a member that stops is shown for two seconds, and the last call decides")
  func stops() {
    typing.start("ann", at: 0)
    _ = take(at: 0)
    typing.stop("ann", at: 500)
    #expect(take(at: 1_999) == nil && typing.due == 2_000)
    typing.start("ann", at: 1_999)
    #expect(take(at: 2_000) == nil && typing.due == 11_999)
    typing.stop("ann", at: 2_500)
    #expect(take(at: 2_500) == ["ben": [], "cat": []])
    typing.stop("ben", at: 2_600)
    #expect(typing.isIdle)
  }

  @Test("an end takes effect at once, within the pace of notices")
  func ends() {
    typing.start("ann", at: 0)
    _ = take(at: 0)
    typing.end("ann")
    #expect(take(at: 300) == nil && typing.due == 1_000)
    // Back before others were notified: nothing has changed for them.
    typing.start("ann", at: 400)
    #expect(take(at: 400) == nil && take(at: 1_000) == nil)
    typing.keep { $0 != "ann" }
    #expect(take(at: 1_100) == ["ben": [], "cat": []])
  }

  @Test("a notice names as many members as the group permits")
  func limited() throws {
    for (index, id) in ["u1", "u2", "u3", "u4"].enumerated() {
      typing.start(id, at: Int64(index))
    }
    let found = typing.takeNotices(at: 10, limit: 2)
    let notices = try #require(found)
    #expect(notices.common == .init(userIDs: ["u1", "u2"], hasMore: true))
    #expect(notices.ownIDs == ["u1", "u2"])
    #expect(notices.own.map(\.userID) == ["u1", "u2"])
    #expect(
      notices.own.map(\.view) == [
        .init(userIDs: ["u2", "u3"], hasMore: true), .init(userIDs: ["u1", "u3"], hasMore: true),
      ])
    // One more changes nothing for anyone.
    typing.start("u5", at: 2_000)
    #expect(take(at: 2_000, limit: 2) == nil)
    #expect(typing.due == 10_000)
  }

  @Test("everyone is shown the others in the end, a second apart", arguments: UInt64(1)...40)
  func converges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var typing = TypingMembers()
    let users = (0..<Int.random(in: 2...6, using: &random)).map { "u\($0)" }
    let limit = Int.random(in: 1...4, using: &random)
    var shown: [String: TypingNotices.View] = [:]
    var (now, last): (Int64, Int64?) = (0, nil)
    func take() {
      guard let notices = typing.takeNotices(at: now, limit: limit) else { return }
      if let last { #expect(now >= last + 1_000) }
      last = now
      for user in users + ["reader"] { shown[user] = notices.view(of: user) ?? shown[user] }
    }
    for _ in 0..<300 {
      now += Int64.random(in: 0...900, using: &random)
      let user = users.randomElement(using: &random) ?? "u0"
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3: typing.start(user, at: now)
      case 3..<6: typing.stop(user, at: now)
      case 6: typing.end(user)
      default: now += 3_000
      }
      take()
    }
    // Without further calls the notices settle before the first hold time is over.
    now += 1_000
    take()
    for user in users + ["reader"] {
      let others = typing.userIDs.filter { $0 != user }
      let view = shown[user] ?? .init(userIDs: [], hasMore: false)
      #expect(Set(view.userIDs) == Set(others.prefix(limit)), "\(user)")
      #expect(view.hasMore == (others.count > limit))
    }
    while let due = typing.due {
      now = max(now, due)
      take()
    }
    #expect(typing.isIdle && shown.values.allSatisfy { $0.userIDs == [] && !$0.hasMore })
  }
}

extension TypingNotices {
  /// The members that a user is shown; `nil` for a user who receives no notice.
  fileprivate func view(of userID: String) -> View? {
    own.first { $0.userID == userID }?.view ?? (ownIDs.contains(userID) ? nil : common)
  }

  fileprivate func shown(to userIDs: [String]) -> [String: [String]] {
    userIDs.reduce(into: [:]) { $0[$1] = view(of: $1)?.userIDs }
  }
}
