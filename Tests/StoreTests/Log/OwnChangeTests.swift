import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The contract of the log for members' own parts", .serialized, .onOwnThreads)
struct OwnChangeTests {
  /// A group of ann, with bob and cy joined, dan invited, and messages of these authors from number 1 on.
  private func den(
    _ fixture: LogFixture, _ authors: [String?] = []
  ) async throws -> LogChannel {
    let den = try #require(await fixture.create(inviting: ["bob", "cy", "dan"]).state?.place)
    try await fixture.post(authors, from: 1, to: den)
    return den
  }

  // MARK: Reading

  @Test("a member reads up to a message, or up to the last one", arguments: LogKind.allCases)
  func marksRead(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "ann", "cy", nil, "ann"])
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 5, "cy": 2])
    let third = await fixture.changeOwn(.markRead(upTo: 3), of: "bob", in: den).own
    #expect(third?.position == ReadPosition(ordinal: 3, readAt: 30))
    #expect(third?.user == LogFixture.user("bob"))
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 2, "cy": 2])
    // The position only rises.
    for id in [Int64(1), 3] {
      #expect(await fixture.changeOwn(.markRead(upTo: id), of: "bob", in: den).own == third)
    }
    let last = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den).own
    #expect(last?.position == ReadPosition(ordinal: 5, readAt: 50))
    #expect(await fixture.changeOwn(.markRead(upTo: 4), of: "bob", in: den).own == last)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 0, "cy": 2])
    #expect(try await fixture.member("bob", of: den) == last)
    let taken = await fixture.perform(.takeOver(url: "den")).state
    #expect(taken?.members.first { $0.user.id == "bob" } == last)
    // It records no event.
    #expect(await fixture.state("den")?.lastSeq == 8)
  }

  @Test(
    "a member reads up to the last message that is not after a time", arguments: LogKind.allCases)
  func marksReadUntil(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "ann", "ann", "ann"])
    await fixture.delete(3, in: den)
    for (time, ordinal) in [(9, 0), (10, 1), (29, 2), (39, 2), (20, 2), (1_000, 4)]
      as [(Int64, Int64)]
    {
      let own = await fixture.changeOwn(.markReadUntil(time), of: "bob", in: den).own
      #expect(own?.position == ReadPosition(ordinal: ordinal, readAt: ordinal * 10), "\(time)")
    }
  }

  @Test("silent messages take no ordinal and are not unread", arguments: LogKind.allCases)
  func silentMessages(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann"])
    var silent = fixture.message(2, at: 20)
    silent.isSilent = true
    var counted = fixture.message(3, at: 30)
    counted.isCounted = true
    let results = await fixture.perform([silent, counted].map { .write(.append($0), den) })
    #expect(results.allSatisfy { $0.appendedSeq != nil })
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 2, "cy": 2])
    let stored = await fixture.read(.message(2, channelID: den.id))?.message?.message
    #expect(stored?.ordinal == 0 && stored?.isSilent == true)
    let read = await fixture.changeOwn(.markRead(upTo: 2), of: "bob", in: den).own
    #expect(read?.position == ReadPosition(ordinal: 1, readAt: 20))
    await fixture.delete(2, in: den)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 1, "cy": 2])
    #expect(await fixture.state("den")?.lastOrdinal == 2)
  }

  @Test("a message need not move its author's position", arguments: LogKind.allCases)
  func unmoved(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["bob", "ann"])
    var message = fixture.message(3, by: "bob", at: 30)
    (message.isCounted, message.marksAsRead) = (true, false)
    _ = await fixture.perform(.write(.append(message), den))
    #expect(try await fixture.member("bob", of: den).position.ordinal == 1)
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 1, "cy": 3])
  }

  @Test("the inviter is returned with its profile", arguments: LogKind.allCases)
  func inviter(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    for (userID, inviter) in [("bob", LogFixture.user("ann")), ("ann", nil)] {
      let result = await fixture.changeOwn(.markRead(upTo: nil), of: userID, in: den)
      guard case .success(.own(let reading)) = result else { return #expect(Bool(false)) }
      #expect(reading.inviter == inviter && reading.floorOrdinal == 0)
    }
  }

  @Test("a deleted message is a place to read up to", arguments: LogKind.allCases)
  func deleted(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "ann", "ann", "ann"])
    for id in [Int64(2), 4] { await fixture.delete(id, in: den) }
    #expect(try await fixture.unread(in: den)["bob"] == 2)
    let read = await fixture.changeOwn(.markRead(upTo: 2), of: "bob", in: den).own
    #expect(read?.position == ReadPosition(ordinal: 2, readAt: 20))
    #expect(try await fixture.unread(in: den)["bob"] == 1)
    let last = await fixture.changeOwn(.markRead(upTo: 4), of: "bob", in: den).own
    #expect(last?.position == ReadPosition(ordinal: 4, readAt: 40))
    let unread = await fixture.changeOwn(.markUnread(from: 2), of: "bob", in: den).own
    #expect(unread?.position == ReadPosition(ordinal: 1, readAt: 19))
    #expect(try await fixture.unread(in: den)["bob"] == 1)
    // A judge that is loaded while all have read everything knows the deletions all the same.
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den)
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "cy", in: den)
    #expect(await fixture.state("den")?.uncounted.count(after: 0) == 2)
  }

  @Test(
    "a silent message is a place after the countable one before it", arguments: LogKind.allCases)
  func silent(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    func silent(_ id: Int64) async {
      let message = fixture.message(id, by: "ann", at: id * 10)
      #expect(await fixture.perform(.write(.append(message), den)).error == nil)
    }
    await silent(1)
    try await fixture.post(["ann", "ann"], from: 2, to: den)
    await silent(4)
    try await fixture.post(["ann"], from: 5, to: den)
    #expect(try await fixture.unread(in: den)["bob"] == 3)
    let cases: [(OwnChange, ordinal: Int64, readAt: Int64)] = [
      (.markRead(upTo: 1), 0, 0), (.markRead(upTo: 4), 2, 40), (.markUnread(from: 4), 2, 39),
      (.markUnread(from: 1), 0, 9), (.markUnread(from: 2), 0, 19),
    ]
    for (change, ordinal, readAt) in cases {
      let member = await fixture.changeOwn(change, of: "bob", in: den).own
      #expect(member?.position == ReadPosition(ordinal: ordinal, readAt: readAt), "\(change)")
      #expect(try await fixture.unread(in: den)["bob"] == 3 - ordinal)
    }
  }

  @Test(
    "messages that the member does not see are missing, and change nothing",
    arguments: LogKind.allCases)
  func missing(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "ann"])
    let other = try #require(await fixture.create("hut", inviting: ["bob"]).state?.place)
    try await fixture.post(["ann", "ann"], from: 7, to: other)
    await fixture.delete(8, in: other)
    _ = await fixture.write(.append(fixture.message(9, at: 90)))
    _ = await fixture.changeOwn(.resetHistory, of: "bob", in: den, visibleFrom: 25)
    let before = try await fixture.member("bob", of: den)
    for id in [Int64(1), 2, 3, 7, 8, 9, Limits.messageIDs.upperBound] {
      for change in [OwnChange.markRead(upTo: id), .markUnread(from: id)] {
        let result = await fixture.changeOwn(change, of: "bob", in: den)
        #expect(result.error == .missing(.message), "\(change)")
      }
    }
    #expect(try await fixture.member("bob", of: den) == before)
  }

  @Test("only joined members have a part of their own", arguments: LogKind.allCases)
  func strangers(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann"])
    _ = await fixture.change(den, .depart(["cy"], .left))
    let changes: [OwnChange] = [
      .markRead(upTo: nil), .markRead(upTo: 1), .markUnread(from: 1),
      .hide(clearing: true, isArchived: true), .unhide, .resetHistory, .prefer(.off),
    ]
    for change in changes {
      for userID in ["dan", "cy", "eve", "nobody"] {
        let result = await fixture.changeOwn(change, of: userID, in: den)
        #expect(result.error == .missing(.member))
      }
      let open = await fixture.changeOwn(change, of: "ann", in: fixture.lobby)
      #expect(open.error == .missing(.member))
    }
    _ = await fixture.perform(.takeOver(url: "den"))
    #expect(await fixture.changeOwn(.unhide, of: "ann", in: den).error == .fenced)
    let taken = try #require(await fixture.state("den")?.place)
    _ = await fixture.perform(.write(.remove(at: 30), taken))
    #expect(await fixture.changeOwn(.unhide, of: "ann", in: taken).error == .missing(.channel))
  }

  // MARK: Own messages

  @Test(
    "own messages after the position are never unread, whatever is deleted",
    arguments: LogKind.allCases)
  func ownMessages(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["bob", "ann", "bob", "bob", "ann", "bob", "ann"])
    #expect(try await fixture.unread(in: den)["bob"] == 1)
    let first = await fixture.changeOwn(.markUnread(from: 1), of: "bob", in: den).own
    #expect(first?.position == ReadPosition(ordinal: 0, readAt: 9, ownAfter: 4))
    #expect(try await fixture.unread(in: den)["bob"] == 3)
    for (id, unread, own) in [(1, 3, 3), (2, 2, 3), (6, 2, 2)] as [(Int64, Int64, Int64)] {
      await fixture.delete(id, in: den)
      #expect(try await fixture.unread(in: den)["bob"] == unread)
      #expect(try await fixture.member("bob", of: den).position.ownAfter == own)
    }
    // Read up to its own message, of which it has one more.
    let read = await fixture.changeOwn(.markRead(upTo: 3), of: "bob", in: den).own
    #expect(read?.position == ReadPosition(ordinal: 3, readAt: 30, ownAfter: 1))
    #expect(try await fixture.unread(in: den)["bob"] == 2)
    // Deletions up to the position change nothing, nor do those of others' messages.
    for id in [Int64(3), 5] { await fixture.delete(id, in: den) }
    #expect(try await fixture.member("bob", of: den).position.ownAfter == 1)
    #expect(try await fixture.unread(in: den)["bob"] == 1)
    let back = await fixture.changeOwn(.markUnread(from: 4), of: "bob", in: den).own
    #expect(back?.position == ReadPosition(ordinal: 3, readAt: 39, ownAfter: 1))
    try await fixture.post(["bob"], from: 8, to: den)
    #expect(
      try await fixture.member("bob", of: den).position == ReadPosition(ordinal: 8, readAt: 80))
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 0, "cy": 3])
  }

  @Test(
    "a message moves its author's position, unless it is imported, and no one's if it has no author",
    arguments: LogKind.allCases)
  func authors(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "bob", nil])
    #expect(try await fixture.unread(in: den) == ["ann": 2, "bob": 1, "cy": 3])
    try await fixture.post(["cy"], from: 4, to: den, role: .exempt)
    #expect(try await fixture.unread(in: den) == ["ann": 3, "bob": 2, "cy": 0])
    // Authors have nothing to read in what was imported for them. Others may have no part in the group.
    try await fixture.post(["bob", "ann", "bob", "dan", "eve"], from: 5, to: den, role: .imported)
    #expect(try await fixture.unread(in: den) == ["ann": 7, "bob": 5, "cy": 5])
    let bob = try await fixture.member("bob", of: den)
    #expect(bob.position == ReadPosition(ordinal: 2, readAt: 20, ownAfter: 2))
    await fixture.delete(5, in: den)
    #expect(try await fixture.unread(in: den) == ["ann": 6, "bob": 5, "cy": 4])
    let read = await fixture.changeOwn(.markRead(upTo: 6), of: "bob", in: den).own
    #expect(read?.position == ReadPosition(ordinal: 6, readAt: 60, ownAfter: 1))
    #expect(try await fixture.unread(in: den)["bob"] == 2)
    _ = await fixture.change(den, .join(userID: "dan", visibleFrom: 0))
    #expect(try await fixture.unread(in: den)["dan"] == 0)
  }

  @Test(
    "the authors' positions move in batches with open channels", arguments: LogKind.allCases,
    [20, 100])
  func batches(_ kind: LogKind, count: Int64) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    let hut = try #require(await fixture.create("hut", inviting: ["bob", "cy"]).state?.place)
    let places = [den, fixture.lobby, hut]
    let authors: [String?] = ["ann", "bob", nil, "cy", "ann", "dan", "bob"]
    for round in Int64(0)..<2 {
      let entries = (round * count..<(round + 1) * count).map { number in
        let place = places[Int(number % 3)]
        // The last five messages of a batch, and some others, are imported.
        let isImported = number % 11 == 0 || number % count > count - 6
        var message = fixture.counted(
          number + 1, by: authors[Int(number % 7)], role: isImported ? .imported : .counted)
        message.isCounted = place != fixture.lobby
        return LogEntry.write(.append(message), place)
      }
      #expect(await fixture.perform(entries).allSatisfy { $0.appendedSeq != nil })
      for (index, place) in places.enumerated() where place != fixture.lobby {
        let numbers = (0..<(round + 1) * count).filter { $0 % 3 == Int64(index) }
        for userID in ["ann", "bob", "cy"] {
          let own = numbers.indices.filter { authors[Int(numbers[$0] % 7)] == userID }
          let last = own.last { index in
            let number = numbers[index]
            return number % 11 != 0 && number % count <= count - 6
          }
          let position = try await fixture.member(userID, of: place).position
          #expect(position.ordinal == last.map { Int64($0 + 1) } ?? 0)
          #expect(position.readAt == last.map { (numbers[$0] + 1) * 10 } ?? 0)
          #expect(position.ownAfter == Int64(own.count { $0 > last ?? -1 }))
        }
        _ = try await fixture.unread(in: place)
      }
    }
  }

  // MARK: Hiding and history

  @Test("a group is hidden until the next message, or archived", arguments: LogKind.allCases)
  func hiding(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "ann"])
    let hidden = await fixture.changeOwn(
      .hide(clearing: false, isArchived: false), of: "bob", in: den, visibleFrom: 99
    ).own
    #expect(hidden?.hiding == .untilMessage(after: 2) && hidden?.visibleFrom == 0)
    #expect(hidden?.hiding.isInForce(lastOrdinal: 2) == true)
    #expect(try await fixture.member("bob", of: den) == hidden)
    // Reading and deletions leave it hidden, the next message does not.
    await fixture.delete(2, in: den)
    let read = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den).own
    #expect(read?.hiding == .untilMessage(after: 2))
    try await fixture.post([nil], from: 3, to: den)
    #expect(try await fixture.member("bob", of: den).hiding.isInForce(lastOrdinal: 3) == false)
    let later = await fixture.changeOwn(.markRead(upTo: 1), of: "bob", in: den).own
    #expect(later?.hiding == .unhidden)
    for archived in [false, true] {
      let change = OwnChange.hide(clearing: false, isArchived: archived)
      let member = await fixture.changeOwn(change, of: "bob", in: den).own
      #expect(member?.hiding == (archived ? .archived : .untilMessage(after: 3)))
    }
    try await fixture.post(["ann"], from: 4, to: den)
    #expect(try await fixture.member("bob", of: den).hiding == .archived)
    #expect(await fixture.changeOwn(.unhide, of: "bob", in: den).own?.hiding == .unhidden)
    #expect(await fixture.changeOwn(.unhide, of: "bob", in: den).own?.hiding == .unhidden)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 2, "cy": 3])
  }

  @Test(
    "a history that begins anew has nothing to read, and no place before it",
    arguments: LogKind.allCases, [OwnChange.resetHistory, .hide(clearing: true, isArchived: false)])
  func history(_ kind: LogKind, change: OwnChange) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "bob", "ann", "bob"])
    _ = await fixture.changeOwn(.markUnread(from: 1), of: "bob", in: den)
    let cleared = await fixture.changeOwn(change, of: "bob", in: den, visibleFrom: 41).own
    #expect(cleared?.visibleFrom == 41)
    #expect(cleared?.position == ReadPosition(ordinal: 0, readAt: 9, floor: 4))
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 0, "cy": 4])
    for id in [Int64(2), 3] { await fixture.delete(id, in: den) }
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 0, "cy": 2])
    try await fixture.post(["ann", "cy"], from: 5, to: den)
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 2, "cy": 0])
    let read = await fixture.changeOwn(.markRead(upTo: 5), of: "bob", in: den).own
    #expect(read?.position == ReadPosition(ordinal: 5, readAt: 50, floor: 4))
    let unread = await fixture.changeOwn(.markUnread(from: 5), of: "bob", in: den).own
    #expect(unread?.position == ReadPosition(ordinal: 4, readAt: 49, floor: 4))
    #expect(try await fixture.unread(in: den)["bob"] == 2)
    #expect(
      await fixture.changeOwn(.markUnread(from: 4), of: "bob", in: den).error == .missing(.message))
  }

  @Test("members who come later have read what was before", arguments: LogKind.allCases)
  func later(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["dan"]).state?.place)
    try await fixture.post(["ann", nil], from: 1, to: den)
    _ = await fixture.perform(
      .write(
        .change([.invite(["bob"], by: nil), .join(userID: "dan", visibleFrom: 0)], at: 30), den))
    _ = await fixture.change(den, .join(userID: "cy", visibleFrom: 30))
    for userID in ["bob", "dan", "cy"] {
      #expect(try await fixture.member(userID, of: den).position == ReadPosition(floor: 2))
    }
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 0, "cy": 0, "dan": 0])
    try await fixture.post(["ann", "bob"], from: 3, to: den)
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 0, "cy": 2, "dan": 2])
    // Dan sees the messages before it joined, which it has read all the same.
    let back = await fixture.changeOwn(.markUnread(from: 1), of: "dan", in: den).own
    #expect(back?.position == ReadPosition(ordinal: 0, readAt: 9, floor: 2))
    #expect(try await fixture.unread(in: den)["dan"] == 2)
  }

  @Test("whoever joins again begins anew", arguments: LogKind.allCases)
  func rejoining(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture, ["ann", "bob", "ann"])
    for change in [
      OwnChange.markUnread(from: 1), .hide(clearing: false, isArchived: true), .prefer(.off),
    ] {
      _ = await fixture.changeOwn(change, of: "bob", in: den)
    }
    let left = await fixture.change(den, .depart(["bob"], .left))
    #expect(left.changes?.members == [["joined bob 7"]])
    #expect(await fixture.state("den")?.uncounted.count(after: 0) == 0)
    try await fixture.post(["ann"], from: 4, to: den)
    await fixture.delete(2, in: den)
    _ = await fixture.change(den, .join(userID: "bob", visibleFrom: 45))
    #expect(
      try await fixture.member("bob", of: den)
        == Member(
          user: LogFixture.user("bob"), state: .joined, joinedAt: 20, visibleFrom: 45,
          position: ReadPosition(floor: 4)))
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 0, "cy": 3])
  }

  @Test("a member keeps its preference", arguments: LogKind.allCases)
  func preferences(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    for preference in CountPreference.allCases + [.all] {
      let changed = await fixture.changeOwn(.prefer(preference), of: "bob", in: den).own
      #expect(changed?.countPreference == preference)
      #expect(try await fixture.member("bob", of: den) == changed)
      #expect(try await fixture.member("cy", of: den).countPreference == .all)
    }
    for option in ChannelPushTriggerOption.allCases {
      let change = OwnChange.preferPushes(option, counting: nil)
      let changed = await fixture.changeOwn(change, of: "bob", in: den).own
      #expect(changed?.pushTrigger == option && changed?.countPreference == .all)
      #expect(try await fixture.member("bob", of: den) == changed)
      #expect(try await fixture.member("cy", of: den).pushTrigger == .default)
    }
  }
}
