import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Word filters", .onEachDatabase, .onOwnThreads)
struct WordFilterTests {
  @Test("parts that are not given are kept, or are those of the deployment at first")
  func changes() async throws {
    let store = try await Fixture().store
    func set(
      _ type: String?, _ keywords: [String]? = nil, _ kind: WordFilterKind? = nil
    ) async throws -> WordFilterSet {
      try await store.perform(
        WordFilterChange(.set(keywords: keywords, kind: kind), ofCustomType: type)
      ).wordFilters
    }
    #expect(try await store.perform(SharedLimits()).wordFilters == WordFilterSet())
    var expected = WordFilterSet()
    expected.deployment = WordFilterRules(keywords: ["bad", "愚*"], kind: .none)
    #expect(try await set(nil, ["bad", "愚*"]) == expected)
    expected.deployment?.kind = .block
    #expect(try await set(nil, nil, .block) == expected)
    expected.customTypes["kids"] = WordFilterRules(keywords: ["drat"], kind: .block)
    #expect(try await set("kids", ["drat"]) == expected)
    expected.customTypes["kids"]?.kind = .replace
    #expect(try await set("kids", nil, .replace) == expected)
    #expect(try await store.perform(SharedLimits()).wordFilters == expected)
    expected.customTypes = [:]
    let removed = try await store.perform(WordFilterChange(.remove, ofCustomType: "kids"))
    #expect(removed.wordFilters == expected)
  }
}
