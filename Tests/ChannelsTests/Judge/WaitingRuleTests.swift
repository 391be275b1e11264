import FloodControl
import ParleyProtocol
import Synchronization
import Testing

@testable import Channels

/// The rules of sends that wait for their thumbnails.
struct WaitingRuleTests {
  private static let picture = MessageThumbnail(
    url: "http://a.example/files/f/t/9x9/a.jpg", type: "image/jpeg", size: 10,
    bounds: ThumbnailSize(maxWidth: 9, maxHeight: 9), width: 9, height: 5)

  /// Room for some sends.
  private final class Room: Sendable {
    let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func waits(milliseconds: Int64 = 2_000) -> SendWaits {
      SendWaits(milliseconds: milliseconds) { [self] _ in
        left.withLock { left in
          guard left > 0 else { return false }
          left -= 1
          return true
        }
      } end: { [self] _, _ in
        left.withLock { $0 += 1 }
      }
    }
  }

  private func rig(
    room: Room = Room(100), milliseconds: Int64 = 2_000, ephemeral: Bool = false,
    limit: RateLimit = RateLimit(count: 5, windowMilliseconds: 1_000)
  ) throws -> JudgeRig {
    try JudgeRig(
      ephemeral: ephemeral, limit: limit, waits: room.waits(milliseconds: milliseconds))
  }

  private func photo(_ text: String = "", _ requestID: String? = nil) -> ChannelCommand {
    let draft = MessageDraft(
      type: .file, text: text, file: MessageFile(id: "f", url: "http://a.example/files/f/a.png"),
      thumbnailSizes: [ThumbnailSize(maxWidth: 9, maxHeight: 9)])
    return .send(MessageOrder(.success(draft), requestID: requestID))
  }

  private func texts(_ rig: JudgeRig) -> [String?] {
    rig.events.filter { $0.method == "message.received" }.map {
      $0.params?["message"]?["message"]?.string
    }
  }

  private func arrive(_ rig: JudgeRig, _ index: Int = 0, _ found: [MessageThumbnail]? = nil) {
    rig.handle(.enriched(rig.enrichments[index].id, .thumbnails(found ?? [Self.picture])))
    rig.answerAll()
  }

  @Test
  func waitsForItsThumbnails() throws {
    let rig = try rig()
    let call = rig.begin(photo("a"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[call] == nil && rig.events.isEmpty && !rig.isIdle)
    rig.now += 500
    arrive(rig)
    let sent = try #require(rig.answers[call]?.sent)
    #expect(sent.message.file?.thumbnails == [Self.picture])
    #expect(sent.message.createdAt == rig.now)
    #expect(rig.events.count == 1 && rig.isIdle)
  }

  @Test
  func goesWithoutThemWhenTimeIsUp() throws {
    let rig = try rig()
    let call = rig.begin(photo("a"), by: .participant("ann"))
    #expect(rig.wakeTime == rig.now + 2_000)
    rig.now += 2_000
    rig.handle(.deadline)
    rig.answerAll()
    let sent = try #require(rig.answers[call]?.sent)
    #expect(sent.message.file?.thumbnails == [])
    // Then they come by an update, the author's connection included.
    arrive(rig)
    let update = try #require(rig.events.last)
    #expect(update.method == "message.updated" && update.author == nil)
    #expect(update.params?["message"]?["updated_at"]?.integer == 0)
    let shown = update.params?["message"]?["file"]?["thumbnails"]
    #expect(shown?.elements.count(where: { _ in true }) == 1)
    #expect(rig.tally.thumbnailsLate == 1)
  }

  @Test
  func nothingIsToldWhenNothingComes() throws {
    let rig = try rig(milliseconds: 0)
    let call = rig.begin(photo("a"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[call]?.sent != nil)
    rig.handle(.enriched(rig.enrichments[0].id, nil))
    rig.answerAll()
    #expect(rig.events.count == 1 && rig.isIdle && rig.tally.previewsNone == 0)
  }

  @Test
  func additionThatComesDuringTheCommitBecomesAnUpdate() throws {
    for isEphemeral in [false, true] {
      let rig = try rig(milliseconds: 0, ephemeral: isEphemeral)
      rig.begin(photo("a"), by: .participant("ann"))
      rig.handle(.enriched(rig.enrichments[0].id, .thumbnails([Self.picture])))
      rig.answerAll()
      #expect(rig.events.map(\.method) == ["message.received", "message.updated"])
      #expect(rig.isIdle)
    }
  }

  @Test
  func laterSendsOfTheConnectionQueueBehindIt() throws {
    let rig = try rig()
    rig.begin(photo("1"), by: .participant("ann", session: 1))
    rig.begin(.send("2"), by: .participant("ann", session: 1))
    rig.begin(.send("other connection"), by: .participant("ann", session: 2))
    rig.begin(.send("other user"), by: .participant("ben", session: 3))
    rig.answerAll()
    #expect(texts(rig) == ["other connection", "other user"])
    arrive(rig)
    #expect(texts(rig) == ["other connection", "other user", "1", "2"])
  }

  @Test
  func repetitionFindsItWhileItWaits() throws {
    let rig = try rig()
    let first = rig.begin(photo("a", "r"), by: .participant("ann"))
    let second = rig.begin(photo("a", "r"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.enrichments.count == 1)
    arrive(rig)
    #expect(rig.answers[first]?.sent?.message.id == rig.answers[second]?.sent?.message.id)
    #expect(rig.answers[second]?.sent != nil && rig.events.count == 1)
  }

  @Test
  func rightsAreLookedAtAgain() throws {
    for (change, code) in [
      (ChannelCommand.ban("ann"), ErrorCode.banned), (.mute("ann"), .muted), (.freeze, .frozen),
    ] {
      let rig = try rig()
      let call = rig.begin(photo("a", "r"), by: .participant("ann"))
      _ = try rig.perform(change, by: .platform)
      arrive(rig)
      #expect(rig.answers[call]?.code == code && texts(rig).isEmpty)
      #expect(rig.isIdle)
    }
  }

  @Test
  func leavingRefusesAndClosingDoesNot() throws {
    let left = try rig()
    let refused = left.begin(photo("a"), by: .participant("ann"))
    left.handle(.exited(.sample(1)))
    left.handle(.left(userID: "ann"))
    arrive(left)
    #expect(left.answers[refused]?.code == .notInChannel)

    let closed = try rig()
    let sent = closed.begin(photo("a"), by: .participant("ann"))
    closed.handle(.left(userID: "ann"))
    arrive(closed)
    #expect(closed.answers[sent]?.sent != nil)
  }

  @Test
  func keepsItsPlaceWhileThatIsInTheWindow() throws {
    let rig = try rig(limit: RateLimit(count: 2, windowMilliseconds: 1_000))
    rig.begin(photo("1"), by: .participant("ann", session: 1))
    rig.now += 100
    #expect(try rig.perform(.send("2"), by: .participant("ann", session: 2)).sent != nil)
    #expect(try rig.perform(.send("3"), by: .participant("ann", session: 2)).code == .flood)
    rig.now += 800
    arrive(rig)
    #expect(texts(rig) == ["2", "1"])
    // It counts where its message lies: the window from 900 on has no room until 1,100 and 1,900.
    rig.now += 200
    #expect(try rig.perform(.send("4"), by: .participant("ann", session: 2)).sent != nil)
    #expect(try rig.perform(.send("5"), by: .participant("ann", session: 2)).code == .flood)
  }

  @Test
  func needsRoomWhenItsPlaceHasLeftTheWindow() throws {
    let rig = try rig(limit: RateLimit(count: 1, windowMilliseconds: 1_000))
    let call = rig.begin(photo("1"), by: .participant("ann", session: 1))
    rig.now += 1_500
    #expect(try rig.perform(.send("2"), by: .participant("ann", session: 2)).sent != nil)
    arrive(rig)
    #expect(rig.answers[call] == nil)
    #expect(rig.wakeTime == rig.now + 1_000)
    rig.now += 1_000
    rig.handle(.deadline)
    rig.answerAll()
    #expect(rig.answers[call]?.sent?.message.createdAt == rig.now)
    #expect(texts(rig) == ["2", "1"])
  }

  @Test
  func goesAtOnceWhenNoMoreMayWait() throws {
    let rig = try rig(room: Room(1))
    rig.begin(photo("1"), by: .participant("ann", session: 1))
    let other = rig.begin(photo("2"), by: .participant("ben", session: 2))
    rig.answerAll()
    #expect(rig.answers[other]?.sent != nil)
    // Behind its like, the first makes room.
    rig.begin(photo("3"), by: .participant("ann", session: 1))
    rig.answerAll()
    #expect(texts(rig) == ["2", "1"])
    arrive(rig, 2)
    #expect(texts(rig) == ["2", "1", "3"])
  }

  @Test
  func drainReleasesAllAndAMoveAnswersAll() throws {
    let drained = try rig()
    drained.begin(photo("1"), by: .participant("ann", session: 1))
    drained.begin(.send("2"), by: .participant("ann", session: 1))
    drained.handle(.endWaiting(.drain))
    drained.answerAll()
    #expect(texts(drained) == ["1", "2"])

    let moved = try rig()
    let call = moved.begin(photo("1"), by: .participant("ann", session: 1))
    moved.handle(.endWaiting(.move))
    #expect(moved.answers[call]?.error?.isMoved == true && moved.isIdle)
  }

  @Test
  func waitsWithoutAFloodLimit() throws {
    let rig = try rig()
    let call = rig.begin(photo("a"), by: .platform)
    rig.answerAll()
    #expect(rig.answers[call] == nil)
    arrive(rig)
    #expect(rig.answers[call]?.sent?.message.file?.thumbnails == [Self.picture])
  }

  @Test
  func endOfTheChannelRefusesIt() throws {
    let rig = try rig()
    let call = rig.begin(photo("1"), by: .participant("ann"))
    _ = try rig.perform(.delete, by: .platform)
    #expect(rig.answers[call]?.code == .notFound && rig.isIdle)
  }

  @Test
  func textMessagesAskForNothing() throws {
    let rig = try rig(room: Room(0))
    #expect(try rig.perform(.send("a"), by: "ann").sent != nil)
    #expect(rig.enrichments.isEmpty && rig.wakeTime == nil)
  }
}
