import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Servers that take channels from each other", .serialized, .onOwnThreads)
struct PostgreSQLFenceTests {
  @Test("a server cannot write to channels that another took over, and numbers are unique")
  func steals() async throws {
    let url = try PostgreSQLDatabase.make()
    var options = StoreOptions(logger: LogRecorder().logger)
    options.sharing = .shared
    let fixtures = [
      try await LogFixture(.postgreSQL, at: url, options: options),
      try await LogFixture(.postgreSQL, at: url, options: options),
      try await LogFixture(.postgreSQL, at: url, options: options),
    ]
    let sent = SentMessages()
    let fencedCount = await withTaskGroup(of: Int.self) { group in
      for fixture in fixtures {
        group.addTask {
          var fencedCount = 0
          for _ in 0..<40 {
            guard let state = await fixture.perform(.takeOver(url: "lobby")).state else {
              Issue.record("the channel is gone")
              return 0
            }
            var expected = state.lastSeq
            for _ in 0..<8 {
              let ids = (0..<3).compactMap { _ in sent.nextID() }
              let results = await fixture.perform(
                ids.map { .write(.append(fixture.message($0)), state.place) })
              for (id, result) in zip(ids, results) {
                guard let seq = result.appendedSeq else {
                  #expect(result.error == .fenced)
                  fencedCount += 1
                  continue
                }
                // What the judge has in memory is what the log has, until it is fenced.
                expected += 1
                #expect(seq == expected)
                sent.acknowledge(id, seq)
              }
              if results.last?.error == .fenced { break }
            }
          }
          return fencedCount
        }
      }
      return await group.reduce(0, +)
    }
    let known = sent.acknowledged
    #expect(known.values.sorted() == Array(1...Int64(max(known.count, 1))))
    #expect(fencedCount > 0)
    let store = try #require(fixtures[0].store)
    let rows = try await store.read { transaction in
      try transaction.connection.all("SELECT message_id, seq FROM messages", []) {
        ($0[0] as Int64, $0[1] as Int64)
      }
    }
    #expect(Dictionary(uniqueKeysWithValues: rows) == known)
    for fixture in fixtures { fixture.store?.close() }
  }
}
