import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Uploads of users", .onEachDatabase, .onOwnThreads)
struct UploadTests {
  @Test("an upload is found by its id and by the hash of its secret")
  func isFound() async throws {
    let store = try await Fixture().store
    let upload = UploadSamples.upload(1, message: "{}")
    #expect(try await UploadSamples.create(upload, in: store) == .created)
    let byID = try await store.perform(UploadLookup(UploadSamples.id(1)))
    #expect(byID == upload.record)
    #expect(try await store.perform(UploadAddressLookup(secretHash: [1])) == upload.record)
    #expect(try await store.perform(UploadAddressLookup(secretHash: [2])) == nil)
    #expect(
      try await store.perform(UploadsLookup([UploadSamples.id(1), UploadSamples.id(2)])).count == 1)
  }

  @Test("a missing or deactivated user creates no upload, and loses access to its uploads")
  func needsUser() async throws {
    let store = try await Fixture().store
    #expect(
      try await UploadSamples.create(UploadSamples.upload(1, of: "eve"), in: store) == .inactive)
    try await UploadSamples.create(UploadSamples.upload(1), in: store)
    _ = try await store.perform(UserChange("ann", isActive: false))
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.isUserActive == false)
    #expect(try await UploadSamples.create(UploadSamples.upload(2), in: store) == .inactive)
  }

  @Test("a user's uploads end when it is deactivated, and stay ended when it is reactivated")
  func endsWithDeactivation() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    try await UploadSamples.complete(UploadSamples.upload(1), in: store)
    for number in 2...3 {
      let upload = UploadSamples.upload(number, at: 1_000_000 + Int64(number) * 1_000)
      #expect(try await UploadSamples.create(upload, in: store) == .created)
    }
    let idle = try #require(try await store.perform(UploadLookup(UploadSamples.id(2))))
    var written = try #require(try await store.perform(UploadLookup(UploadSamples.id(3))))
    let term = try await store.perform(UploadClaim(written, from: 0, until: 1_500_000))
    written.term = try #require(term)
    for isActive in [false, true] {
      _ = try await store.perform(UserChange("ann", isActive: isActive))
    }
    for number in 2...3 {
      let record = try await store.perform(UploadLookup(UploadSamples.id(number)))
      #expect(record?.isUserActive == true && record?.status(at: 1_000_000) == .expired)
    }
    #expect(try await store.perform(UploadClaim(idle, from: 0, until: 1_500_000)) == nil)
    let completion = UploadCompletion(written, at: 1_000_000, expiresAt: 2_000_000)
    #expect(try await !store.perform(completion))
    #expect(try await !store.perform(UploadSweep(at: 1_000_000)).hasMore)
    for number in 2...3 {
      #expect(try await store.perform(UploadLookup(UploadSamples.id(number)))?.stage == .expired)
    }
    #expect(try await store.perform(FileLookup(UploadSamples.id(1)))?.size == 100)
  }

  @Test("an upload in progress when its user is deleted is not completed")
  func endsWithItsUser() async throws {
    let store = try await Fixture().store
    try await UploadSamples.create(UploadSamples.upload(1), in: store)
    var record = try #require(try await store.perform(UploadLookup(UploadSamples.id(1))))
    let term = try await store.perform(UploadClaim(record, from: 0, until: 1_500_000))
    record.term = try #require(term)
    _ = try await store.perform(UserDeletionStep("ann"))
    let renewal = UploadRenewal(UploadSamples.id(1), term: 1, until: 1_500_000, at: 1_000_000)
    #expect(try await !store.perform(renewal))
    let completion = UploadCompletion(record, at: 1_000_000, expiresAt: 2_000_000)
    #expect(try await !store.perform(completion))
    #expect(try await store.usage() == FileUsage.none)
    #expect(try await !store.perform(UploadSweep(at: 1_000_000)).hasMore)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.stage == .expired)
  }

  @Test("creations are limited by number, rate and bytes")
  func isBounded() async throws {
    let store = try await Fixture().store
    try await UploadSamples.create(UploadSamples.upload(1), in: store)
    try await UploadSamples.create(UploadSamples.upload(2, at: 1_000_100), in: store)
    #expect(
      try await UploadSamples.create(UploadSamples.upload(3, at: 1_000_400), in: store)
        == .late(retryAfter: 600, limit: 2, window: 1_000))
    try await UploadSamples.create(UploadSamples.upload(3, at: 1_001_000), in: store)
    #expect(
      try await UploadSamples.create(UploadSamples.upload(4, at: 1_003_000), in: store) == .full)
    _ = try await store.perform(UploadCancellation(UploadSamples.id(1), at: 1_003_000))
    #expect(
      try await UploadSamples.create(UploadSamples.upload(4, size: 801, at: 1_003_000), in: store)
        == .overQuota)
    #expect(
      try await UploadSamples.create(UploadSamples.upload(4, size: 800, at: 1_003_000), in: store)
        == .created)
    _ = try await store.perform(UploadCancellation(UploadSamples.id(4), at: 1_005_000))
    try await UploadSamples.create(UploadSamples.upload(5, at: 1_005_000), in: store)
    _ = try await store.perform(UploadCancellation(UploadSamples.id(5), at: 1_005_000))
    #expect(
      try await UploadSamples.create(UploadSamples.upload(6, at: 1_007_000), in: store)
        == .late(retryAfter: 53_000, limit: 5, window: 60_000))
  }

  @Test("a repeated request finds the first upload for ten minutes")
  func isRepeated() async throws {
    let store = try await Fixture().store
    let first = UploadSamples.upload(1, requestID: "r")
    try await UploadSamples.create(first, in: store)
    let soon = UploadSamples.upload(2, at: 1_000_001, requestID: "r")
    #expect(
      try await UploadSamples.create(soon, in: store)
        == .repeated(first.record, sealedSecret: [9, 9]))
    let other = UploadSamples.upload(2, of: "bob", requestID: "r")
    #expect(try await UploadSamples.create(other, in: store) == .created)
    let late = UploadSamples.upload(3, at: 1_600_000, requestID: "r")
    #expect(try await UploadSamples.create(late, in: store) == .created)
  }

  @Test("only one claim is valid, and records of an earlier one change nothing")
  func isClaimed() async throws {
    let store = try await Fixture().store
    try await UploadSamples.create(UploadSamples.upload(1), in: store)
    let found = try #require(try await store.perform(UploadLookup(UploadSamples.id(1))))
    let first = try await store.perform(UploadClaim(found, from: 0, until: 1_500_000))
    #expect(first == 1)
    #expect(try await store.perform(UploadClaim(found, from: 0, until: 1_500_000)) == nil)
    let progress = UploadProgress(UploadSamples.id(1), term: 1, offset: 40, until: 0)
    #expect(try await store.perform(progress))
    let next = try #require(try await store.perform(UploadLookup(UploadSamples.id(1))))
    #expect(next.offset == 40 && next.claimedUntil == 0)
    #expect(try await store.perform(UploadClaim(next, from: 40, until: 1_500_000)) == 2)
    #expect(
      try await !store.perform(UploadProgress(UploadSamples.id(1), term: 1, offset: 50, until: 0)))
    let renewal = UploadRenewal(UploadSamples.id(1), term: 2, until: 1_700_000, at: 1_400_000)
    #expect(try await store.perform(renewal))
    let renewed = try #require(try await store.perform(UploadLookup(UploadSamples.id(1))))
    #expect(renewed.offset == 40 && renewed.claimedUntil == 1_700_000)
    for late in [
      UploadRenewal(UploadSamples.id(1), term: 1, until: 1_800_000, at: 1_400_000),
      UploadRenewal(UploadSamples.id(1), term: 2, until: 2_100_000, at: 2_000_000),
    ] { #expect(try await !store.perform(late)) }
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.claimedUntil == 1_700_000)
    try await store.perform(UploadRelease())
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.claimedUntil == 0)
  }

  @Test("a cancelled upload accepts no data, and its file is removed even if just completed")
  func isCancelled() async throws {
    let store = try await Fixture().store
    try await UploadSamples.create(UploadSamples.upload(1), in: store)
    var found = try #require(try await store.perform(UploadLookup(UploadSamples.id(1))))
    found.term = try #require(
      try await store.perform(UploadClaim(found, from: 0, until: 1_500_000)))
    func cancel(_ number: Int) async throws -> UploadCancellation.Outcome {
      try await store.perform(UploadCancellation(UploadSamples.id(number), at: 1_000_000))
    }
    #expect(try await cancel(1) == .cancelled)
    #expect(try await cancel(1) == .over(.cancelled))
    #expect(try await cancel(2) == .absent)
    #expect(
      try await !store.perform(UploadCompletion(found, at: 1_000_000, expiresAt: 2_000_000)))
    #expect(try await store.perform(FileLookup(UploadSamples.id(1))) == nil)
  }

  @Test("a finished upload cannot be cancelled, and a complete one stays")
  func isNotCancelled() async throws {
    let store = try await Fixture().store
    try await UploadSamples.complete(UploadSamples.upload(1), in: store)
    try await UploadSamples.create(UploadSamples.upload(2, at: 1_002_000), in: store)
    let cases: [(Int, Int64, UploadStatus)] = [(1, 1_000_000, .complete), (2, 2_000_000, .expired)]
    for (number, time, status) in cases {
      let outcome = try await store.perform(UploadCancellation(UploadSamples.id(number), at: time))
      #expect(outcome == .over(status))
    }
    #expect(try await store.perform(FileLookup(UploadSamples.id(1)))?.size == 100)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(2)))?.stage == .open)
  }

  @Test("the row of a file is deleted with its cancelled upload, unless a message has it")
  func leavesNoRow() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    for number in 1...2 {
      try await UploadSamples.complete(UploadSamples.upload(number), in: store)
    }
    try await UploadSamples.send(10, 2, in: fixture)
    try await store.write { transaction in
      try transaction.connection.execute("UPDATE uploads SET stage = 'cancelled'")
    }
    #expect(try await store.usage() == FileUsage(count: 2, byteCount: 200))
    #expect(try await !store.perform(UploadSweep(at: 2_000_000)).hasMore)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1))) == nil)
    #expect(try await store.usage() == FileUsage(count: 1, byteCount: 100))
    #expect(try await store.perform(FileLookup(UploadSamples.id(2)))?.size == 100)
  }

  @Test("a complete file is in several messages, and is removed with the last one")
  func isShared() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    try await UploadSamples.complete(UploadSamples.upload(1), in: store)
    #expect(try await store.perform(FileLookup(UploadSamples.id(1)))?.size == 100)
    try await UploadSamples.send(10, 1, in: fixture)
    try await UploadSamples.send(11, 1, in: fixture)
    #expect(try await store.perform(UnusedFileRemoval(UploadSamples.id(1))) == .inUse)
    #expect(
      try await store.perform(FileDetailsLookup(UploadSamples.id(1)))?.messages.map(\.messageID)
        == [10, 11])
    for (id, isLeft) in [(Int64(10), true), (11, false)] {
      _ = try await store.write { [lobby = fixture.lobby] in
        try $0.deleteMessage(id, channelID: lobby.id, at: 2_000)
      }
      #expect(try await (store.perform(FileLookup(UploadSamples.id(1))) != nil) == isLeft)
    }
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.stage == .expired)
    await #expect(throws: (any Error).self) { try await UploadSamples.send(12, 1, in: fixture) }
  }

  @Test("the sweep removes ended uploads, and leaves files that messages have")
  func isSwept() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    try await UploadSamples.create(
      UploadSamples.upload(1, requestID: "r"), in: store, limits: limits)
    try await UploadSamples.complete(UploadSamples.upload(2), in: store)
    try await UploadSamples.complete(UploadSamples.upload(3), in: store)
    try await UploadSamples.send(10, 3, in: fixture)
    #expect(try await !store.perform(UploadSweep(at: 1_999_999)).hasMore)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.stage == .open)
    #expect(try await !store.perform(UploadSweep(at: 2_000_000)).hasMore)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.stage == .expired)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(2)))?.stage == .expired)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(3))) == nil)
    #expect(try await store.perform(FileLookup(UploadSamples.id(2))) == nil)
    #expect(try await store.perform(FileLookup(UploadSamples.id(3))) != nil)
    #expect(try await !store.perform(UploadSweep(at: 2_000_000 + 86_400_000)).hasMore)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1))) == nil)
  }

  @Test("a sweep with a horizon of 0 removes only permanently ended uploads, and counts them")
  func isHeld() async throws {
    let store = try await Fixture().store
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    for number in 1...2 {
      try await UploadSamples.create(UploadSamples.upload(number), in: store, limits: limits)
    }
    try await store.write { transaction in
      try transaction.connection.execute(
        "UPDATE uploads SET expires_at = 0 WHERE file_id = ?", [UploadSamples.id(2)])
    }
    let sweep = UploadSweep(at: 9_000_000, expiredBy: 0)
    #expect(try await store.perform(sweep) == UploadSweep.Outcome(removedCount: 1, hasMore: false))
    #expect(try await store.perform(UploadLookup(UploadSamples.id(1)))?.stage == .open)
    #expect(try await store.perform(UploadLookup(UploadSamples.id(2)))?.stage == .expired)
    let all = UploadSweep(at: 9_000_000)
    #expect(try await store.perform(all) == UploadSweep.Outcome(removedCount: 1, hasMore: false))
  }

  @Test("a sweep removes some at a time")
  func isSweptInSteps() async throws {
    let store = try await Fixture().store
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    for number in 1...5 {
      try await UploadSamples.create(UploadSamples.upload(number), in: store, limits: limits)
    }
    #expect(try await store.perform(UploadSweep(at: 2_000_000, limit: 3)).hasMore)
    #expect(try await !store.perform(UploadSweep(at: 2_000_000, limit: 3)).hasMore)
    for number in 1...5 {
      #expect(try await store.perform(UploadLookup(UploadSamples.id(number)))?.stage == .expired)
    }
  }

  @Test("an unsent message is found until its result is recorded, and the result is final")
  func isUnsent() async throws {
    let store = try await Fixture().store
    try await UploadSamples.complete(UploadSamples.upload(1, message: "{}"), in: store)
    try await UploadSamples.complete(UploadSamples.upload(2), in: store)
    #expect(try await store.perform(UnsentUploads()).map(\.fileID) == [UploadSamples.id(1)])
    try await store.perform(UploadMessageResult(UploadSamples.id(1), messageID: 7, result: "{}"))
    try await store.perform(UploadMessageResult(UploadSamples.id(1), error: "{}"))
    #expect(try await store.perform(UnsentUploads()) == [])
    let record = try await store.perform(UploadLookup(UploadSamples.id(1)))
    #expect(record?.messageID == 7 && record?.messageError == nil)
  }

  @Test("a message that declares an encrypted file as needing no key is refused, without effect")
  func needsKey() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    try await UploadSamples.complete(UploadSamples.upload(1), in: store)
    let seal = FileSeal(masterKeyID: "k", keys: [1])
    _ = try await store.perform(FileConversionStart(UploadSamples.id(1), seal, .unsent))
    await #expect(throws: LogError.outdatedFile) {
      try await UploadSamples.send(10, 1, in: fixture)
    }
    #expect(try await store.perform(FileDetailsLookup(UploadSamples.id(1)))?.messages == [])
    var message = fixture.message(11)
    message.type = .file
    message.file = MessageFile(
      id: UploadSamples.id(1), url: "https://a.example/", requiresAuthorization: true)
    message.upload = FileRecord(id: UploadSamples.id(1), name: "a.txt", type: "", size: 100)
    let stored = try await store.append(message)
    #expect(stored == .stored(seq: 1, mentionedUsers: []))
    let lobby = fixture.lobby.id
    await #expect(throws: LogError.outdatedFile) {
      try await store.write { transaction in
        try transaction.keepFile(
          FileRecord(id: UploadSamples.id(1), name: "a.txt", type: "", size: 100),
          shownAs: MessageFile(id: UploadSamples.id(1), url: ""), of: "ann", inMessage: 12,
          channelID: lobby, at: 1_000)
      }
    }
  }

  @Test("unsent messages are found in order")
  func isFoundInTurn() async throws {
    let store = try await Fixture().store
    for number in 1...5 {
      try await UploadSamples.complete(UploadSamples.upload(number, message: "{}"), in: store)
    }
    var (found, last): ([String], String) = ([], "")
    for _ in 0..<3 {
      let some = try await store.perform(UnsentUploads(after: last, limit: 2)).map(\.fileID)
      found += some
      last = some.last ?? ""
    }
    #expect(found == (1...5).map(UploadSamples.id))
  }

  @Test("a message sent before its result was recorded is found by its request ID")
  func isFoundAgain() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    try await UploadSamples.complete(UploadSamples.upload(1), in: store)
    func find(
      by userID: String = "ann", in url: String = "lobby", named name: String = "r"
    ) async throws -> UploadMessageLookup.Outcome {
      try await store.perform(
        UploadMessageLookup(of: UploadSamples.id(1), by: userID, in: url, named: name))
    }
    try await UploadSamples.send(10, 1, in: fixture)
    #expect(try await find() == .absent)
    var message = fixture.message(11, requestID: "r")
    message.type = .file
    message.file = MessageFile(id: UploadSamples.id(1), url: "https://a.example/")
    message.upload = FileRecord(id: UploadSamples.id(1), name: "a.txt", type: "", size: 100)
    try await store.append(message)
    guard case .kept(let sent) = try await find() else {
      Issue.record("it is not there")
      return
    }
    #expect(sent.message.id == 11 && sent.seq == 2)
    #expect(try await find(by: "bob") == .absent)
    #expect(try await find(in: "other") == .absent)
    #expect(try await find(named: "s") == .absent)
    // An ephemeral channel keeps the file alone.
    let file = FileRecord(id: UploadSamples.id(1), name: "a.txt", type: "", size: 100)
    try await store.write { transaction in
      let channel = Channel(url: "hall", createdAt: 1)
      let hall = try transaction.createChannel(channel, epoch: "e")
      try transaction.keepFile(
        file, shownAs: nil, of: "ann", inMessage: 12, channelID: hall.id, at: 1_000)
    }
    #expect(try await find(in: "hall") == .relayed(messageID: 12))
  }

  @Test("a file becomes unreadable as soon as its only channel is deleted")
  func isGoneWithItsChannel() async throws {
    let fixture = try await Fixture()
    try await UploadSamples.complete(UploadSamples.upload(1), in: fixture.store)
    try await UploadSamples.send(10, 1, in: fixture)
    let found = try await fixture.store.write { transaction in
      let before = try transaction.file(UploadSamples.id(1))
      _ = try transaction.deleteChannel("lobby", at: 2_000)
      return [before != nil, try transaction.file(UploadSamples.id(1)) != nil]
    }
    #expect(found == [true, false])
  }

  @Test("files are counted, and listed by user and channel")
  func isListed() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    for number in 1...3 {
      try await UploadSamples.complete(UploadSamples.upload(number), in: store)
    }
    try await UploadSamples.complete(UploadSamples.upload(4, of: "bob"), in: store)
    try await UploadSamples.send(10, 1, in: fixture)
    #expect(try await store.usage() == FileUsage(count: 4, byteCount: 400))
    #expect(try await store.usage(of: "bob") == FileUsage(count: 1, byteCount: 100))
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    try await UploadSamples.create(UploadSamples.upload(5), in: store, limits: limits)
    try await UploadSamples.create(UploadSamples.upload(6), in: store, limits: limits)
    let open = try #require(try await store.perform(UploadLookup(UploadSamples.id(5))))
    _ = try await store.perform(UploadClaim(open, from: 0, until: 1_500_000))
    func coming(reserving step: Int64) async throws -> Int64 {
      try await store.perform(ComingByteCountLookup(at: 1_400_000, reserving: step))
    }
    #expect(try await coming(reserving: 1_000) == 100)
    #expect(try await coming(reserving: 30) == 30)
    let here = ComingByteCountLookup(at: 1_400_000, here: [UploadSamples.id(5)], reserving: 1_000)
    #expect(try await store.perform(here) == 0)
    let progress = UploadProgress(UploadSamples.id(5), term: 1, offset: 40, until: 0)
    #expect(try await store.perform(progress))
    #expect(try await coming(reserving: 1_000) == 40)
    func list(user: String? = nil, channel: String? = nil) async throws -> [String] {
      var (ids, token): ([String], String?) = ([], nil)
      repeat {
        let place = token
        let page = try await store.read { transaction in
          try FileListing(
            ofUser: user, inChannel: channel, limit: 2, token: place, as: IDs()
          ).statements.run(transaction)
        }
        ids += page.items
        token = page.next.isEmpty ? nil : page.next
      } while token != nil
      return ids
    }
    #expect(try await list() == [4, 3, 2, 1].map(UploadSamples.id))
    #expect(try await list(user: "ann") == [3, 2, 1].map(UploadSamples.id))
    #expect(try await list(channel: "lobby") == [UploadSamples.id(1)])
    #expect(try await list(user: "eve") == [])
  }

  private struct IDs: PageEncoder {
    func encode(_ item: FileDetails) -> PageItem<String> {
      PageItem(item.file.id, byteCount: 32)
    }
  }
}
