import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// A home on server 0 that follows another home, with stages on servers 1 and 2.
@Suite("A channel's new home")
final class ChannelHomeTests {
  private var home = ChannelHome(url: "lobby", server: 0, awaiting: [1, 2])
  private let now = Moment(unix: 1_000, monotonic: 1_000)

  private func address(_ server: UInt16) -> StageAddress {
    StageAddress(server: server, attachment: 1)
  }

  private func attach(_ server: UInt16, announced: AnnouncedUsers?) {
    let start = StageStart(
      channel: Channel(url: "lobby", createdAt: 0), channelID: 1, epoch: "e", seq: 1,
      throttleLimit: RateLimit(count: 5, windowMilliseconds: 1_000), announced: home.announced)
    home.attach(
      StageAttachment(epoch: "e", seq: 1, announced: announced), at: address(server), from: start)
  }

  private func arrive(
    _ server: UInt16, _ userIDs: [String], isLast: Bool = true
  ) -> [String] {
    let piece = StagePiece(userIDs: userIDs, isLast: isLast)
    return names(home.arrive(piece, at: address(server), at: now))
  }

  /// The published notices and the profiles to read.
  private func names(_ actions: [PresenceAction]) -> [String] {
    actions.flatMap { action -> [String] in
      switch action {
      case .publish(let notice): [name(notice)]
      case .correct(let notice, let server): ["\(server)" + name(notice)]
      case .readProfiles(let userIDs): userIDs.map { "?" + $0 }
      case .present, .absent, .wake: []
      }
    }
  }

  private func name(_ notice: StageNotice) -> String {
    switch notice.mark {
    case .entered(let userID): "+" + userID
    case .exited(let userID): "-" + userID
    case .count: "="
    }
  }

  @Test("admits no user before all servers have reported")
  func applicants() {
    attach(1, announced: .users(["ann"]))
    #expect(home.isGathering == true)
    let ann = SessionPrincipal(
      user: User(id: "ann"), session: SessionAddress(server: 2, shard: 0, connection: 1))
    home.hold(.elsewhere(ann, number: 1, address(2)))
    _ = arrive(1, ["ann"])
    #expect(home.takeApplicants().count == 0)
    _ = home.stopAwaiting(2, at: now)
    #expect(home.isGathering == false)
    #expect(home.takeApplicants().count == 1)
    #expect(home.isElsewhere("ann", than: 2) == true)
    #expect(home.isElsewhere("ann", than: 1) == false)
    #expect(home.isElsewhere("ben", than: 2) == false)
  }

  @Test("a stage receives the number of users elsewhere before the answer that refers to it")
  func admission() {
    _ = home.stopAwaitingAll(at: now)
    attach(2, announced: nil)
    _ = home.takePackets()
    attach(1, announced: nil)
    _ = arrive(1, ["ann"])
    home.answer(7, .success(true), on: 2)
    let packets = home.takePackets().filter { $0.address.server == 2 }
    let news: [StageNews] = packets.flatMap { $0.news }
    let order = news.compactMap { item -> String? in
      switch item {
      case .elsewhere(let count): "elsewhere \(count)"
      case .admitted(let number, .success(let isElsewhere)): "admitted \(number) \(isElsewhere)"
      case .admitted, .attached, .next, .absent, .released, .event, .notice, .record, .throttle,
        .answer, .seat, .memberNotice, .membersNotice, .memberCount, .strangers, .dispersed:
        nil
      }
    }
    #expect(order == ["elsewhere 1", "admitted 7 true"])
  }

  @Test("publishes exits only for users who are no longer on any server")
  func exits() {
    attach(1, announced: .users(["ann", "ben", "cat"]))
    #expect(arrive(1, ["ann"]) == ["?ann"])
    attach(2, announced: .users(["ann", "ben", "cat"]))
    #expect(arrive(2, ["ben"]) == ["?ben", "?cat"])
    #expect(names(home.handle(.profile(User(id: "cat")), at: now)) == ["-cat"])
    #expect(home.roster.count == 2)
  }

  @Test("publishes the entry of users that the old home could not announce")
  func entering() {
    attach(1, announced: .users([]))
    #expect(arrive(1, ["ann"]) == ["?ann"])
    #expect(names(home.stopAwaiting(2, at: now)) == ["+ann"])
  }

  @Test("notifies one server's participants of users known only on another server")
  func lacking() {
    attach(1, announced: .users(["ann", "ben"]))
    _ = arrive(1, ["ann"])
    attach(2, announced: .users(["ben"]))
    #expect(arrive(2, ["ben"]) == ["?ben", "2+ann"])
  }

  @Test("notifies a stage that reattaches of users who entered and left in the meantime")
  func missedNotices() {
    _ = home.stopAwaitingAll(at: now)
    attach(1, announced: nil)
    _ = arrive(1, ["ann"])
    let session = SessionAddress(server: 2, shard: 0, connection: 1)
    for userID in ["ben", "cat"] {
      _ = home.handle(.entered(User(id: userID), session), at: now)
    }
    _ = home.takePackets()
    _ = home.handle(.left(userID: "cat", server: 2), at: now)
    _ = home.handle(.deadline, at: Moment(unix: 3_000, monotonic: 3_000))
    // The link breaks with what was sent to the stage last; it goes on from the notices before.
    attach(1, announced: .users(["ann", "cat"]))
    #expect(arrive(1, ["ann"]) == ["1+ben", "?cat"])
    #expect(names(home.handle(.profile(User(id: "cat")), at: now)) == ["1-cat"])
    #expect(
      home.takePackets().flatMap(\.news).compactMap(\.noticeMark) == [
        .entered(userID: "ben"), .exited(userID: "cat"),
      ])
    // What it is notified of until its users have come is nothing that it lacks.
    attach(1, announced: .users(["ann", "ben"]))
    _ = home.handle(.entered(User(id: "dan"), session), at: now)
    #expect(arrive(1, ["ann"]) == [])
    attach(1, announced: .number)
    #expect(arrive(1, ["ann"]) == ["1="])
  }

  @Test(
    "publishes the entry of a user whose report was lost, even if the server had no users before")
  func lostEntering() {
    _ = home.stopAwaitingAll(at: now)
    attach(1, announced: .users([]))
    #expect(arrive(1, []) == [])
    attach(1, announced: .users([]))
    #expect(arrive(1, ["ann"]) == ["?ann", "+ann"])
  }

  @Test("publishes nothing about a user who returns before the profile for the notice is read")
  func comesBack() {
    attach(1, announced: .users(["ann", "cat"]))
    _ = arrive(1, ["ann"])
    #expect(names(home.stopAwaiting(2, at: now)) == ["?cat"])
    let session = SessionAddress(server: 0, shard: 0, connection: 1)
    #expect(names(home.handle(.entered(User(id: "cat"), session), at: now)) == [])
    #expect(names(home.handle(.profile(User(id: "cat")), at: now)) == [])
  }

  @Test("announces only the number when the old home did")
  func number() {
    attach(1, announced: .number)
    _ = arrive(1, ["ann"])
    _ = home.stopAwaiting(2, at: now)
    #expect(names(home.handle(.deadline, at: now)) == ["="])
  }

  @Test("waits for a server until its last piece arrives, even if its marker arrived earlier")
  func pieces() {
    _ = home.stopAwaiting(2, at: now)
    attach(1, announced: nil)
    _ = arrive(1, ["ann"], isLast: false)
    _ = home.stopAwaiting(1, at: now)
    #expect(home.isGathering == true)
    _ = arrive(1, ["ben"])
    #expect(home.isGathering == false)
  }

  @Test("tracks a user who has left and whose exit notice is pending")
  func held() {
    _ = home.stopAwaitingAll(at: now)
    let session = SessionAddress(server: 0, shard: 0, connection: 1)
    _ = home.handle(.entered(User(id: "ann"), session), at: now)
    _ = home.handle(.left(userID: "ann", server: 0), at: now)
    #expect(home.roster.count == 0)
    #expect(home.announced == .users(["ann"]))
  }

  @Test(
    "detects users who left while a stage was detached, and users who entered while it reported")
  func differences() {
    attach(1, announced: .users(["ann", "ben", "cat"]))
    _ = arrive(1, ["ann", "ben", "cat"])
    _ = home.stopAwaitingAll(at: now)
    attach(1, announced: nil)
    let session = SessionAddress(server: 1, shard: 0, connection: 1)
    _ = home.handle(.entered(User(id: "cat"), session), at: now)
    #expect(arrive(1, ["ann"]) == ["-ben"])
    #expect(home.roster.contains("cat") == true)
  }

  @Test("participants are sent an event before its sender gets the response")
  func order() {
    for server in UInt16(1)...2 { attach(server, announced: nil) }
    _ = home.takePackets()
    let session = SessionAddress(server: 1, shard: 0, connection: 1)
    let call = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
    for expected in [[UInt16(2), 1], [1, 2]] {
      home.tellAll(.next)
      if expected[0] == 2 { home.tell(.answer(call, .empty), server: 1) }
      #expect(home.takePackets().map(\.address.server) == expected)
    }
  }

  @Test("a response waiting for the end of the turn is kept when the stage detaches")
  func answers() {
    attach(1, announced: nil)
    _ = home.takePackets()
    let session = SessionAddress(server: 1, shard: 0, connection: 1)
    let call = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
    home.tell(.answer(call, .empty), server: 1)
    home.tell(.next, server: 1)
    attach(1, announced: nil)
    #expect(home.takePackets().map { $0.news.map(\.isAnswer) } == [[false, true]])
    home.tell(.answer(call, .empty), server: 1)
    _ = home.detach(address(1), at: now)
    #expect(home.awaitsEndOfTurn == true)
    #expect(home.takePackets().map { $0.news.map(\.isAnswer) } == [[true]])
    #expect(home.takePackets().count == 0)
  }
}

extension StageNews {
  fileprivate var isAnswer: Bool { if case .answer = self { true } else { false } }

  fileprivate var noticeMark: PresenceMark? {
    if case .notice(let notice) = self { notice.mark } else { nil }
  }
}
