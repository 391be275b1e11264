import Store
import Testing

@testable import PushDelivery

@Suite("Ledger of push jobs")
struct PushLedgerTests {
  private func job(
    _ id: Int64, _ scope: PushScope = .members(after: ""), channel: String = "den"
  ) -> PushJob {
    PushJob(
      id: id, channelID: 1, channelURL: channel, messageID: 10 + id, scope: scope, createdAt: 5,
      dueAt: 5)
  }

  @Test("a job ends with its last push, and is recorded with all outcomes")
  func end() throws {
    var ledger = PushLedger()
    ledger.begin(job(1))
    #expect(ledger.contains(1))
    ledger.start(1, pushCount: 3, next: nil)
    ledger.conclude(1, [.delivered(tokenID: 7)])
    ledger.conclude(1, [.forgotten(tokenID: 8)])
    #expect(ledger.takeProgress() == nil)
    ledger.conclude(1, [.waits(job(0, .token(userID: "bob", id: 9)))])
    let takenProgress = ledger.takeProgress()
    let progress = try #require(takenProgress)
    #expect(progress.finished == [1])
    #expect(progress.forgotten == [8])
    #expect(progress.delivered == [7])
    #expect(progress.waiting.map(\.scope) == [.token(userID: "bob", id: 9)])
    #expect(ledger.takeProgress() == nil)
    #expect(ledger.contains(1))
    ledger.didRecord(progress)
    #expect(!ledger.contains(1))
  }

  @Test("outcomes that cannot be recorded are kept")
  func failure() throws {
    var ledger = PushLedger()
    ledger.begin(job(1))
    ledger.start(1, pushCount: 0, next: nil)
    let takenFirst = ledger.takeProgress()
    let first = try #require(takenFirst)
    ledger.didFail(first)
    #expect(ledger.takeProgress()?.finished == [1])
  }

  @Test("a further page continues the job, and holds later jobs of the channel")
  func pages() throws {
    var ledger = PushLedger()
    ledger.begin(job(1))
    ledger.start(1, pushCount: 1, next: "m")
    #expect(ledger.hasFurtherPage(of: "den"))
    #expect(!ledger.hasFurtherPage(of: "other"))
    ledger.conclude(1, [.ended])
    let takenProgress = ledger.takeProgress()
    let progress = try #require(takenProgress)
    #expect(progress.finished.isEmpty)
    #expect(progress.advanced.map(\.scope) == [.members(after: "m")])
    #expect(ledger.hasFurtherPage(of: "den"))
    ledger.didRecord(progress)
    #expect(!ledger.hasFurtherPage(of: "den"))
  }

  @Test("another attempt for one device stays in its row")
  func retry() throws {
    var ledger = PushLedger()
    ledger.begin(job(4, .token(userID: "bob", id: 9)))
    ledger.start(4, pushCount: 1, next: nil)
    var later = job(0, .token(userID: "bob", id: 9))
    (later.dueAt, later.failures) = (99, 2)
    ledger.conclude(4, [.waits(later)])
    let takenProgress = ledger.takeProgress()
    let progress = try #require(takenProgress)
    #expect(progress.finished.isEmpty && progress.waiting.isEmpty)
    #expect(progress.advanced.map(\.id) == [4])
    #expect(progress.advanced.map(\.dueAt) == [99])
  }

  @Test("jobs of lost lanes have no consequence")
  func lost() {
    var ledger = PushLedger()
    for (id, channel) in [(1, "den"), (2, "hut")] as [(Int64, String)] {
      ledger.begin(job(id, channel: channel))
      ledger.start(id, pushCount: 1, next: nil)
    }
    ledger.conclude(1, [.ended])
    #expect(ledger.busyLanes == [job(1).lane, job(2, channel: "hut").lane])
    ledger.drop([job(1).lane])
    ledger.conclude(1, [.ended])
    #expect(ledger.takeProgress() == nil)
    #expect(ledger.jobIDs == [2])
  }

  @Test("a job none of whose pushes was sent can be given up")
  func untouched() {
    var ledger = PushLedger()
    ledger.begin(job(1))
    ledger.start(1, pushCount: 2, next: nil)
    #expect(ledger.isUntouched(1, pushCount: 2))
    #expect(!ledger.isUntouched(1, pushCount: 1))
    ledger.conclude(1, [.ended])
    #expect(!ledger.isUntouched(1, pushCount: 1))
  }
}
