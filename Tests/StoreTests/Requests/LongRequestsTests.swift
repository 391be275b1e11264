import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Long requests", .onEachDatabase, .onOwnThreads)
struct LongRequestsTests {
  private struct Ids: PageEncoder {
    func encode(_ request: LongRequest) -> PageItem<String> {
      PageItem(request.id, byteCount: request.id.utf8.count)
    }
  }

  private func new(
    _ id: String, _ kind: LongRequestKind = .export, at time: Int64 = 1_000
  ) -> NewLongRequest {
    NewLongRequest(
      id: id, kind: kind, subject: "messages", params: "{}", base: "http://a.example", at: time)
  }

  @discardableResult
  private func add(_ store: Store, _ request: NewLongRequest) async throws -> LongRequest {
    switch try await store.perform(LongRequestCreation(request)) {
    case .created(let request): return request
    case .tooSoon: throw StoreError.exists
    }
  }

  @Test("requests of a kind keep their distance, and those of another kind do not count")
  func spacing() async throws {
    let store = try await Fixture().store
    func outcome(_ request: NewLongRequest) async throws -> LongRequestCreation.Outcome {
      try await store.perform(LongRequestCreation(request, spacing: 60_000))
    }
    try await add(store, new("privacy", .privacy, at: 1_000))
    guard case .created = try await outcome(new("a", at: 1_000)) else {
      return #expect(Bool(false), "the first is refused")
    }
    #expect(try await outcome(new("b", at: 31_000)) == .tooSoon(retryAfter: 30_000))
    guard case .created = try await outcome(new("c", at: 61_000)) else {
      return #expect(Bool(false), "the third is refused")
    }
    #expect(try await store.perform(LongRequestLookup(.export, "c"))?.createdAt == 61_000)
    #expect(try await store.perform(LongRequestLookup(.privacy, "c")) == nil)
  }

  @Test("a list is by kind and subject, newest first, in pages")
  func listing() async throws {
    let store = try await Fixture().store
    for id in ["a", "b", "c"] { try await add(store, new(id)) }
    try await add(store, new("other", .privacy))
    func page(_ token: String?) async throws -> ListPage<String> {
      try await store.perform(
        LongRequestListing(.export, subject: "messages", limit: 2, token: token, as: Ids()),
        for: .server)
    }
    let first = try await page(nil)
    #expect(first.items == ["c", "b"])
    let second = try await page(first.next)
    #expect(second.items == ["a"] && second.next.isEmpty)
    await #expect(throws: StoreError.invalidPageToken) { try await page("none") }
  }

  @Test("one server works at a time, and another one continues once the lease has ended")
  func leases() async throws {
    let store = try await Fixture().store
    for id in ["a", "b"] { try await add(store, new(id)) }
    func claim(_ server: String, at time: Int64) async throws -> LongRequest? {
      try await store.perform(LongRequestClaim(by: server, at: time, until: time + 30))
    }
    let first = try #require(try await claim("one", at: 100))
    #expect((first.id, first.status, first.term) == ("a", .processing, 1))
    #expect(try await claim("two", at: 129) == nil)
    let progress = LongRequestProgress(
      first, position: "5", part: nil, at: 129, until: 160, fileUntil: 0)
    #expect(try await store.perform(progress))
    #expect(try await claim("two", at: 159) == nil)
    let second = try #require(try await claim("two", at: 161))
    #expect((second.id, second.position, second.term) == ("a", "5", 2))
    // The first server comes too late with everything.
    #expect(try await !store.perform(progress))
    #expect(try await !store.perform(LongRequestRenewal(first, until: 999)))
    #expect(try await !store.perform(LongRequestEnd(first, .failed(reason: "x"), at: 170)))
    #expect(
      try await store.perform(
        LongRequestEnd(second, .done(fileSize: nil, expiry: 0), at: 170)))
    #expect(try await claim("one", at: 170)?.id == "b")
    #expect(try await store.perform(LongRequestLookup(.export, "a"))?.status == .done)
  }

  @Test("a request is cancelled only before a server has begun")
  func cancelling() async throws {
    let store = try await Fixture().store
    try await add(store, new("a"))
    try await add(store, new("b"))
    _ = try await store.perform(LongRequestClaim(by: "", at: 1, until: 2))
    func cancel(_ id: String) async throws -> LongRequestCancellation.Outcome {
      try await store.perform(LongRequestCancellation(.export, id))
    }
    #expect(try await cancel("a") == .begun(.processing))
    #expect(try await cancel("b") == .cancelled)
    #expect(try await cancel("b") == .absent)
  }

  @Test("ended requests are removed after their time, some at a time, and open ones are kept")
  func retention() async throws {
    let store = try await Fixture().store
    let day: Int64 = 86_400_000
    for id in ["a", "b", "c"] { try await add(store, new(id)) }
    for id in ["p", "q"] { try await add(store, new(id, .privacy)) }
    for (id, ending) in [
      ("a", LongRequestEnd.Ending.done(fileSize: nil, expiry: 0)), ("b", .failed(reason: "full")),
      ("c", .done(fileSize: nil, expiry: 0)), ("p", .done(fileSize: nil, expiry: 0)),
    ] {
      let request = try #require(
        try await store.perform(LongRequestClaim(by: "", at: 1, until: 2)))
      #expect(request.id == id)
      #expect(try await store.perform(LongRequestEnd(request, ending, at: id == "c" ? 9 : 5)))
    }
    func left() async throws -> [String] {
      try await store.read { transaction in
        try transaction.connection.all(
          "SELECT request_id FROM long_requests ORDER BY request_number", []
        ) { $0[0] as String }
      }
    }
    _ = try await store.perform(UploadSweep(at: 30 * day + 4))
    #expect(try await left() == ["a", "b", "c", "p", "q"])
    // While the clock is not trusted.
    _ = try await store.perform(UploadSweep(at: 5_000 * day, expiredBy: 0))
    #expect(try await left().count == 5)
    #expect(try await store.perform(UploadSweep(at: 30 * day + 5, limit: 1)).hasMore)
    #expect(try await left() == ["b", "c", "p", "q"])
    _ = try await store.perform(UploadSweep(at: 30 * day + 5))
    #expect(try await left() == ["c", "p", "q"])
    _ = try await store.perform(UploadSweep(at: 1_095 * day + 4))
    #expect(try await left() == ["p", "q"])
    _ = try await store.perform(UploadSweep(at: 5_000 * day))
    #expect(try await left() == ["q"])
  }

  @Test("a file is found by its address while it is complete, and goes with a failure")
  func files() async throws {
    let store = try await Fixture().store
    for id in ["a", "b"] {
      try await add(store, new(id))
      let request = try #require(
        try await store.perform(LongRequestClaim(by: "", at: 1, until: 2)))
      let fileID = FileID.make()
      let record = UploadRecord(
        fileID: fileID, userID: "", name: "n.gz", type: "application/gzip", size: 0, createdAt: 1,
        expiresAt: 100)
      let hash = Array("hash \(id)".utf8)
      let opening = LongRequestFile(
        request, new: NewUpload(record, secretHash: hash), sealedSecret: [1], sealedBy: nil)
      #expect(try await store.perform(opening))
      let part = LongRequestProgress.Part(offset: 20, rest: nil)
      #expect(
        try await store.perform(
          LongRequestProgress(request, position: "p", part: part, at: 3, until: 9, fileUntil: 200)))
      let open = try #require(try await store.perform(LongRequestLookup(.export, id)))
      #expect((open.file?.offset, open.file?.stage, open.sealedSecret) == (20, .open, [1]))
      func found(at time: Int64) async throws -> FileRecord? {
        try await store.perform(LongRequestFileLookup(secretHash: hash, at: time))
      }
      #expect(try await found(at: 4) == nil)
      if id == "a" {
        #expect(
          try await store.perform(
            LongRequestEnd(request, .done(fileSize: 20, expiry: 50), at: 5)))
        #expect(try await found(at: 49)?.size == 20)
        #expect(try await found(at: 50) == nil)
        // Its id alone is no address.
        #expect(try await store.perform(FileLookup(fileID)) == nil)
        #expect(try await store.perform(UploadSweep(at: 60)).removedCount == 1)
        #expect(try await found(at: 49) == nil)
        #expect(try await store.perform(LongRequestLookup(.export, id))?.status == .done)
      } else {
        #expect(try await store.perform(LongRequestEnd(request, .failed(reason: "full"), at: 5)))
        let failed = try #require(try await store.perform(LongRequestLookup(.export, id)))
        #expect((failed.error, failed.file?.stage) == ("full", .cancelled))
        #expect(try await found(at: 4) == nil)
      }
    }
  }
}
