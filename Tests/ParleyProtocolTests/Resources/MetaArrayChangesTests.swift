import ParleyProtocol
import Testing

@Suite("Extra data of messages")
struct MetaArrayChangesTests {
  private let arrays = [MetaArray(key: "a", values: ["1", "2"]), MetaArray(key: "b")]
  private let limits = MetaArrayLimits()

  @Test("creating keys leaves existing keys unchanged")
  func creating() throws {
    let result = try arrays.creating(keys: ["c", "a"], within: limits)
    #expect(result == arrays + [MetaArray(key: "c")])
  }

  @Test("a message has 10 keys at most")
  func keyLimit() throws {
    let keys = (0..<8).map { "k\($0)" }
    #expect(try arrays.creating(keys: keys, within: limits).count == 10)
    let error = #expect(throws: ServiceError.self) {
      try arrays.creating(keys: keys + ["one more"], within: limits)
    }
    #expect(error?.code == .tooManyItems)
  }

  @Test("deleting ignores keys that do not exist")
  func deleting() {
    #expect(arrays.deleting(keys: ["a", "x"]) == [MetaArray(key: "b")])
  }

  @Test("values are appended once each, creating keys as needed")
  func adding() throws {
    let result = try arrays.adding(
      [
        MetaArray(key: "a", values: ["3", "1", "3"]), MetaArray(key: "c", values: ["x", "x"]),
      ], within: limits)
    #expect(
      result == [
        MetaArray(key: "a", values: ["1", "2", "3"]), MetaArray(key: "b"),
        MetaArray(key: "c", values: ["x"]),
      ])
  }

  @Test("a key has 100 values at most")
  func valueLimit() throws {
    let full = (1...98).map { "v\($0)" }
    let result = try arrays.adding([MetaArray(key: "a", values: full)], within: limits)
    #expect(result[0].values.count == 100)
    let known = [MetaArray(key: "a", values: ["v1"])]
    #expect(try result.adding(known, within: limits) == result)
    let error = #expect(throws: ServiceError.self) {
      try result.adding([MetaArray(key: "a", values: ["new"])], within: limits)
    }
    #expect(error?.code == .tooManyItems)
  }

  @Test("limits are settings, and a message may keep its data when they are lowered")
  func otherLimits() throws {
    var limits = MetaArrayLimits()
    limits.keyCount = 12
    limits.valueCount = 101
    let keys = (0..<10).map { "k\($0)" }
    let many = try arrays.creating(keys: keys, within: limits)
    #expect(many.count == 12)
    let values = (0..<99).map { "v\($0)" }
    let full = try many.adding([MetaArray(key: "a", values: values)], within: limits)
    #expect(full[0].values.count == 101)
    limits.keyCount = 3
    limits.valueCount = 2
    limits.byteCount = 8
    #expect(try full.adding([MetaArray(key: "a", values: ["v1"])], within: limits) == full)
    for addition in [MetaArray(key: "a", values: ["new"]), MetaArray(key: "new")] {
      let error = #expect(throws: ServiceError.self) {
        try full.adding([addition], within: limits)
      }
      #expect(error?.code == .tooManyItems)
    }
    limits.keyCount = 20
    let error = #expect(throws: ServiceError.self) {
      try full.creating(keys: ["new"], within: limits)
    }
    #expect(error?.code == .tooLong && error?.data.limit == 8)
  }

  @Test("removing values keeps the key")
  func removing() {
    let result = arrays.removing([
      MetaArray(key: "a", values: ["2", "1", "9"]), MetaArray(key: "x", values: ["1"]),
    ])
    #expect(result == [MetaArray(key: "a"), MetaArray(key: "b")])
  }
}
