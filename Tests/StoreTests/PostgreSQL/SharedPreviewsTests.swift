import ParleyProtocol
import PostgreSQL
import TestSupport
import Testing

@testable import Store

@Suite("Previews shared by servers", .serialized, .onOwnThreads)
struct SharedPreviewsTests {
  private let url: String
  private let store: Store

  init() throws {
    url = try PostgreSQLDatabase.make()
    var options = StoreOptions()
    options.sharing = .shared
    store = try Store(.postgreSQL(url: url), options: options)
  }

  /// Stores outcomes of 1,000 bytes each, of which the first are over soonest.
  private func fill(_ count: Int) async throws {
    for number in 0..<count {
      let preview = SharedPreview(
        link: "https://a.example/\(number)", host: "example.a",
        body: String(repeating: "x", count: 1_000), expiresAt: .max,
        staleUntil: Int64.max - Int64(count) + Int64(number))
      try await store.perform(PreviewReplacement(preview))
    }
  }

  private func links() async throws -> [String] {
    try await store.read { transaction in
      try transaction.connection.all("SELECT link FROM previews ORDER BY stale_until", []) { $0[0] }
    }
  }

  @Test("excess previews are removed in steps, those that expire first before the others")
  func trims() async throws {
    try await fill(10)
    let trimming = PreviewTrimming(byteLimit: 5_500, stepLimit: 3)
    #expect(try await store.perform(trimming) == .unfinished)
    #expect(try await store.perform(trimming) == .finished)
    let left = try await links()
    #expect(left == (5..<10).map { "https://a.example/\($0)" })
    #expect(try await store.perform(trimming) == .finished)
    #expect(try await links() == left)
  }

  @Test("expired previews are removed, and claims of fetches in progress stay")
  func removesExpired() async throws {
    let old = SharedPreview(
      link: "https://a.example/old", host: "example.a", body: "{}", expiresAt: 1, staleUntil: 2)
    try await store.perform(PreviewReplacement(old))
    let claim = PreviewClaim(
      link: "https://a.example/new", host: "example.a", serverID: 7, duration: 60_000, since: nil)
    #expect(try await store.perform(claim) == .granted(stale: nil))
    #expect(try await store.perform(PreviewTrimming(byteLimit: 0)) == .finished)
    #expect(try await links() == ["https://a.example/new"])
  }

  @Test("one server trims at a time")
  func isAlone() async throws {
    let other = try PostgreSQLConnection(url)
    _ = try other.execute("BEGIN")
    _ = try other.execute("SELECT pg_try_advisory_xact_lock($1)", [.integer(0x5061_726C_6579_0003)])
    #expect(try await store.perform(PreviewTrimming(byteLimit: 0)) == .left)
    _ = try other.execute("COMMIT")
    #expect(try await store.perform(PreviewTrimming(byteLimit: 0)) == .finished)
  }
}
