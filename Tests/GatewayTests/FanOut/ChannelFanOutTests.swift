import Channels
import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Fan-out of a channel")
struct ChannelFanOutTests {
  @Test("the author's connection learns by its answer, the user's others by the event")
  func leavesTheAuthorOut() throws {
    let driven = try DrivenNode()
    let channel = driven.channel()
    let sessions = try (0..<3).map { _ in try driven.connect() }
    for (session, user) in zip(sessions, ["ann", "ann", "bob"]) {
      channel.seat(session, user: user)
    }
    let facts = MessageFacts(id: 1, createdAt: 0, authorID: "ann")
    channel.publish(
      QueuedEvent(
        payload: Array("hello".utf8), audience: .viewers(of: facts),
        author: sessions[0].reference))
    driven.endTurn()
    #expect(sessions.map { $0.receiveTexts() } == [[], ["hello"], ["hello"]])
  }

  @Test("every connection is sent just what is for it, in order", arguments: UInt64(1)...8)
  func agreesWithNaiveDelivery(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let comparison = try FanOutComparison(using: &generator)
    for _ in 0..<40 { try comparison.turn(using: &generator) }
  }
}

extension HomeChannel {
  /// Lets a connection in without telling anyone.
  fileprivate func seat(_ session: DrivenSession, user: String) {
    let slot = participants.add(session.reference, of: User(id: user), throttle: Throttle())
    if let slot { withheld.clear(slot: slot) }
    subscriberCounts[0] += 1
    session.session.subscribe(to: url)
  }

  /// Takes a connection out without telling anyone.
  fileprivate func unseat(_ session: DrivenSession, user: String) {
    _ = participants.remove(session.reference, of: user)
    subscriberCounts[0] -= 1
    session.session.unsubscribe(from: url)
  }
}

/// A channel beside what each of its connections should be sent.
private final class FanOutComparison {
  private struct Member {
    let session: DrivenSession
    let user: String
    var isSeated = false
    var expected: [String] = []
  }

  private static let limit = RateLimit(count: 3, windowMilliseconds: 1000)
  private static let operators: Set<String> = ["user-0"]

  private let driven: DrivenNode
  private let channel: HomeChannel
  private var members: [Member] = []
  /// When each user in the channel was shown messages that count.
  private var shown: [String: [Int64]] = [:]
  /// From whom each message was withheld while they were in the channel.
  private var withheld: [Int64: Set<String>] = [:]
  private var now: Int64 = 1000
  private var messageCount: Int64 = 0

  init(using generator: inout SeededGenerator) throws {
    driven = try DrivenNode()
    channel = driven.channel(operators: Array(Self.operators))
    channel.throttleLimit = Self.limit
    for number in 0..<Int.random(in: 2...7, using: &generator) {
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        members.append(Member(session: try driven.connect(), user: "user-\(number)"))
      }
    }
  }

  func turn(using generator: inout SeededGenerator) throws {
    for index in members.indices where Int.random(in: 0..<6, using: &generator) == 0 {
      move(index)
    }
    let isBusy = Int.random(in: 0..<8, using: &generator) == 0
    for _ in 0..<Int.random(in: 0...(isBusy ? 150 : 8), using: &generator) {
      now += Int64.random(in: 0...(isBusy ? 30 : 400), using: &generator)
      publish(using: &generator)
    }
    driven.endTurn()
    for index in members.indices {
      #expect(members[index].session.receiveTexts() == members[index].expected)
      members[index].expected = []
    }
  }

  private func move(_ index: Int) {
    let member = members[index]
    members[index].isSeated.toggle()
    if !member.isSeated {
      channel.seat(member.session, user: member.user)
      return
    }
    channel.unseat(member.session, user: member.user)
    guard !isPresent(member.user) else { return }
    shown[member.user] = nil
    for id in withheld.keys { withheld[id]?.remove(member.user) }
  }

  private func isPresent(_ user: String) -> Bool {
    members.contains { $0.user == user && $0.isSeated }
  }

  private func publish(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<6: publishMessage(by: members.randomElement(using: &generator))
    case 6: publishMessage(by: nil)
    case 7..<9: publishUpdate(of: Int64.random(in: 0...messageCount, using: &generator))
    default:
      tell("everyone at \(now)", .everyone, author: nil) { _ in true }
    }
  }

  private func publishMessage(by author: Member?) {
    messageCount += 1
    let id = messageCount
    var receivers: Set<String> = []
    for user in Set(members.map(\.user)) where isPresent(user) {
      if isShown(to: user, by: author?.user) {
        receivers.insert(user)
      } else {
        withheld[id, default: []].insert(user)
      }
    }
    let facts = MessageFacts(id: id, createdAt: now, authorID: author?.user)
    tell("message \(id)", .viewers(of: facts), author: author?.session.reference) {
      receivers.contains($0)
    }
  }

  private func isShown(to user: String, by author: String?) -> Bool {
    guard let author else { return true }
    let recent = (shown[user] ?? []).filter { $0 > now - Self.limit.windowMilliseconds }
    let isFree = author == user || Self.operators.contains(user)
    guard isFree || recent.count < Self.limit.count else { return false }
    shown[user] = recent + [now]
    return true
  }

  private func publishUpdate(of id: Int64) {
    let missing = withheld[id] ?? []
    tell("update of \(id) at \(now)", .recipients(ofMessage: id), author: nil) {
      !missing.contains($0)
    }
  }

  private func tell(
    _ text: String, _ audience: QueuedEvent.Audience, author: SessionAddress?,
    _ isTold: (String) -> Bool
  ) {
    channel.publish(
      QueuedEvent(payload: Array(text.utf8), audience: audience, author: author))
    for index in members.indices
    where members[index].isSeated && isTold(members[index].user)
      && members[index].session.reference != author
    {
      members[index].expected.append(text)
    }
  }
}
