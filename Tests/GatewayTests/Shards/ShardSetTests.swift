import Testing

@testable import Gateway

@Suite("ShardSet")
struct ShardSetTests {
  @Test("homes are computed from the name alone, with FNV-1a")
  func findsHomes() throws {
    let shards = ShardSet(try (0..<7).map { try ShardHandle(index: $0) })
    let hashes: [String: UInt64] = [
      "": 0xcbf2_9ce4_8422_2325, "a": 0xaf63_dc4c_8601_ec8c, "foobar": 0x8594_4171_f739_67e8,
    ]
    for (name, hash) in hashes {
      #expect(shards.home(ofChannel: name).index == Int(hash >> 1) % 7)
      #expect(shards.home(ofUser: name).index == Int(hash >> 1) % 7)
    }
  }

  @Test("names are spread over all shards")
  func spreads() throws {
    let shards = ShardSet(try (0..<4).map { try ShardHandle(index: $0) })
    var counts = [0, 0, 0, 0]
    for number in 0..<4000 { counts[shards.home(ofChannel: "channel-\(number)").index] += 1 }
    #expect(counts.allSatisfy { (800...1200).contains($0) }, "\(counts)")
  }
}
