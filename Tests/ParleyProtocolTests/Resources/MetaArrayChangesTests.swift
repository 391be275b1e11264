import ParleyProtocol
import Testing

@Suite("Extra data of messages")
struct MetaArrayChangesTests {
  private let arrays = [MetaArray(key: "a", values: ["1", "2"]), MetaArray(key: "b")]

  @Test("creating keys leaves those that are there as they are")
  func creating() throws {
    let result = try arrays.creating(keys: ["c", "a"])
    #expect(result == arrays + [MetaArray(key: "c")])
  }

  @Test("a message has 10 keys at most")
  func keyLimit() throws {
    let keys = (0..<8).map { "k\($0)" }
    #expect(try arrays.creating(keys: keys).count == 10)
    let error = #expect(throws: ServiceError.self) {
      try arrays.creating(keys: keys + ["one more"])
    }
    #expect(error?.code == .tooManyItems)
  }

  @Test("deleting passes over keys that are not there")
  func deleting() {
    #expect(arrays.deleting(keys: ["a", "x"]) == [MetaArray(key: "b")])
  }

  @Test("values are added behind, each once, creating keys as needed")
  func adding() throws {
    let result = try arrays.adding([
      MetaArray(key: "a", values: ["3", "1", "3"]), MetaArray(key: "c", values: ["x", "x"]),
    ])
    #expect(
      result == [
        MetaArray(key: "a", values: ["1", "2", "3"]), MetaArray(key: "b"),
        MetaArray(key: "c", values: ["x"]),
      ])
  }

  @Test("a key has 100 values at most")
  func valueLimit() throws {
    let full = (1...98).map { "v\($0)" }
    let result = try arrays.adding([MetaArray(key: "a", values: full)])
    #expect(result[0].values.count == 100)
    #expect(try result.adding([MetaArray(key: "a", values: ["v1"])]) == result)
    let error = #expect(throws: ServiceError.self) {
      try result.adding([MetaArray(key: "a", values: ["new"])])
    }
    #expect(error?.code == .tooManyItems)
  }

  @Test("removing values keeps the key")
  func removing() {
    let result = arrays.removing([
      MetaArray(key: "a", values: ["2", "1", "9"]), MetaArray(key: "x", values: ["1"]),
    ])
    #expect(result == [MetaArray(key: "a"), MetaArray(key: "b")])
  }
}
