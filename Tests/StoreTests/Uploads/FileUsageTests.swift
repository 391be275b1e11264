import Channels
import TestSupport
import Testing

@testable import Store

@Suite("Counting files", .onEachDatabase, .onOwnThreads)
struct FileUsageTests {
  /// Files of ann and of bob in turn, each of 10 bytes, and a thumbnail of 5 bytes of the first.
  private static func fill(_ fixture: Fixture, count: Int64) async throws {
    try await fixture.store.write { transaction in
      for number in 0..<count {
        try transaction.connection.execute(
          """
          INSERT INTO files (file_id, user_id, name, type, size, created_at)
          VALUES (?, ?, '', '', 10, ?)
          """, ["f\(number)", number % 2 == 0 ? "ann" : "bob", number / 4])
      }
      try transaction.connection.execute(
        """
        INSERT INTO thumbnails
          (file_id, max_width, max_height, content_id, type, size, width, height, created_at)
        VALUES ('f0', 1, 1, 'c', '', 5, 1, 1, 1)
        """)
    }
  }

  @Test("files are counted in total, per user and before a time, with their thumbnails")
  func counts() async throws {
    let fixture = try await Fixture()
    try await Self.fill(fixture, count: 40)
    let store = fixture.store
    #expect(try await store.usage() == FileUsage(count: 40, byteCount: 405))
    #expect(try await store.usage(of: "bob") == FileUsage(count: 20, byteCount: 200))
    #expect(try await store.usage(of: "ann", before: 2) == FileUsage(count: 4, byteCount: 45))
    #expect(try await store.usage(of: "eve") == FileUsage.none)
  }

  @Test("a count that runs out of time continues where it stopped")
  func goesOn() async throws {
    let fixture = try await Fixture()
    try await Self.fill(fixture, count: 40)
    let (usage, parts) = try await fixture.store.read { transaction in
      var (counting, parts) = (FileCounting(), 0)
      while true {
        let hurried = ReadTransaction(
          connection: transaction.connection, time: QueryTime(nanoseconds: 0, rowsPerLook: 3))
        switch try counting.statements.run(hurried) {
        case .part(let rest): (counting, parts) = (rest, parts + 1)
        case .whole(let usage): return (usage, parts)
        }
      }
    }
    #expect(usage == FileUsage(count: 40, byteCount: 405))
    #expect(parts == 13)
  }

  @Test("creating an upload adds later files to those counted before")
  func addsLaterFiles() async throws {
    let fixture = try await Fixture()
    try await Self.fill(fixture, count: 40)
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    for (older, bytes) in [
      (OlderFiles.none, Int64(205)), (OlderFiles(byteCount: 1_000, before: 9), 1_020),
    ] {
      let standing = UploadStanding("ann", limits, olderFiles: older, at: 99)
      #expect(try await fixture.store.perform(standing).byteCount == bytes)
    }
  }
}

extension Store {
  /// Counts for the server itself, and waits for the outcome.
  func usage(of userID: String? = nil, before moment: Int64 = .max) async throws -> FileUsage {
    try await withCheckedThrowingContinuation { continuation in
      countFiles(of: userID, before: moment, for: .server) { result, _ in
        continuation.resume(with: result.mapError { $0 as any Error })
      }
    }
  }
}
