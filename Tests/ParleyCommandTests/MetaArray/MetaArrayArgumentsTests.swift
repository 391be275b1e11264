import Testing

@testable import parley

@Suite("Extra data on the command line")
struct MetaArrayArgumentsTests {
  @Test("is one list per key, in the given order")
  func lists() throws {
    let items = try ["b=2", "a=1", "b=1"].map { try #require(MetadataItem(argument: $0)) }
    let lists = MetaArrayArguments.lists(items)
    #expect(lists.map(\.key) == ["b", "a"])
    #expect(lists.map(\.values) == [["2", "1"], ["1"]])
  }
}
