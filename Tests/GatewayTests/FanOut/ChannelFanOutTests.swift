@testable import Channels
import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Fan-out of a channel", .onOwnThreads)
struct ChannelFanOutTests {
  @Test(
    "every connection is sent exactly the events meant for it, in order", arguments: UInt64(1)...8)
  func agreesWithNaiveDelivery(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let comparison = try FanOutComparison(using: &generator)
    for _ in 0..<40 { try comparison.turn(using: &generator) }
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

  private let driven: DrivenShard
  private var stage: ChannelStage
  private var actions = StageActions()
  private var lastSeq: Int64 = 0
  private var clock: Int64 = 0
  private var members: [Member] = []
  /// When each user in the channel was shown messages that count.
  private var shown: [String: [Int64]] = [:]
  /// From whom each message was withheld while they were in the channel.
  private var withheld: [Int64: Set<String>] = [:]
  private var now: Int64 = 1000
  private var messageCount: Int64 = 0

  init(using generator: inout SeededGenerator) throws {
    driven = try DrivenShard()
    let channel = Channel(
      url: "lobby", operators: Self.operators.map { User(id: $0) }, createdAt: 0)
    stage = ChannelStage(channel, epoch: "epoch", lastSeq: 0, throttleLimit: Self.limit)
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
    handle(.endOfTurn)
    driven.endTurn()
    for index in members.indices {
      let texts = members[index].session.receiveTexts().filter { !$0.hasPrefix("{") }
      #expect(texts == members[index].expected)
      members[index].expected = []
    }
  }

  private func move(_ index: Int) {
    let member = members[index]
    members[index].isSeated.toggle()
    if !member.isSeated {
      seat(member)
      return
    }
    member.session.session.unsubscribe(from: "lobby")
    handle(.leave(member.session.reference, userID: member.user))
    guard !isPresent(member.user) else { return }
    shown[member.user] = nil
    for id in withheld.keys { withheld[id]?.remove(member.user) }
  }

  /// Lets a connection in; notices about it have tests of their own.
  private func seat(_ member: Member) {
    let session = member.session.reference
    let address = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
    let principal = SessionPrincipal(user: User(id: member.user), session: session)
    handle(.enter(EnterRequest(principal: principal, recover: nil, address: address)))
    member.session.session.subscribe(to: "lobby")
  }

  /// Gives the stage an input, and has the shard deliver what follows.
  private func handle(_ input: StageInput) {
    // Pauses are over by the next input, so that no update waits.
    clock += 1_000
    stage.handle(input, at: Moment(unix: now, monotonic: clock), into: &actions)
    for case .deliver(let plan, 0) in actions.list { driven.shard.deliver(plan) }
    actions.removeAll()
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
      tell("everyone at \(now)", .announcement, author: nil) { _ in true }
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
    tell("message \(id)", .message(facts), author: author?.session.reference) {
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
    tell("update of \(id) at \(now)", .update(ofMessage: id), author: nil) {
      !missing.contains($0)
    }
  }

  private func tell(
    _ text: String, _ subject: ChannelEvent.Subject, author: SessionAddress?,
    _ isTold: (String) -> Bool
  ) {
    lastSeq += 1
    handle(
      .apply(
        ChannelEvent(
          payload: Array(text.utf8), subject: subject, seq: lastSeq, timestamp: now,
          author: author)))
    for index in members.indices
    where members[index].isSeated && isTold(members[index].user)
      && members[index].session.reference != author
    {
      members[index].expected.append(text)
    }
  }
}
