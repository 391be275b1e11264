import Cluster
import TestSupport
import Testing

@Suite("Homes assigned by the ring")
struct ServerRingTests {
  private static func members(_ count: Int, seed: UInt64) -> [ClusterMember] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map {
      ClusterMember(id: ServerID(rawValue: random.next()), slot: UInt16($0), name: "s\($0)")
    }
  }

  @Test("are the same in every process and version")
  func constant() {
    let ring = ServerRing(live: Self.members(5, seed: 1))
    let keys = ["", "lobby", "channel-1", "channel-2", "ünïcode"]
    #expect(keys.map { ring.home(ofChannel: $0).slot } == [0, 0, 1, 2, 0])
    #expect(keys.map { ring.home(ofUser: $0).slot } == [0, 4, 4, 3, 0])
  }

  @Test("are spread evenly, for channels and users independently", arguments: [2, 3, 20, 256])
  func spread(count: Int) {
    let ring = ServerRing(live: Self.members(count, seed: UInt64(count)))
    let keys = 100 * count
    var channels = [Int](repeating: 0, count: count)
    var users = channels
    var equal = 0
    for key in 0..<keys {
      let (channel, user) = (ring.home(ofChannel: "c-\(key)"), ring.home(ofUser: "c-\(key)"))
      channels[Int(channel.slot)] += 1
      users[Int(user.slot)] += 1
      if channel == user { equal += 1 }
    }
    for counts in [channels, users] {
      let chiSquare = counts.reduce(0.0) { $0 + Double(($1 - 100) * ($1 - 100)) / 100 }
      // Five standard deviations above the mean of chi-square with count - 1 degrees of freedom.
      let degrees = Double(count - 1)
      #expect(chiSquare < degrees + 5 * (2 * degrees).squareRoot() + 5)
    }
    #expect(equal < 100 + 60)
  }

  @Test("move only from a server that leaves, and to all others")
  func movement() {
    let members = Self.members(6, seed: 7)
    let (before, after) = (ServerRing(live: members), ServerRing(live: Array(members.dropFirst())))
    var heirs: Set<UInt16> = []
    for key in 0..<2_000 {
      let (old, new) = (before.home(ofChannel: "\(key)"), after.home(ofChannel: "\(key)"))
      if old == members[0] { heirs.insert(new.slot) } else { #expect(old == new) }
    }
    #expect(heirs.count == 5)
  }

  @Test("are on a draining server only when there is no other")
  func draining() {
    let members = Self.members(3, seed: 3)
    let ring = ServerRing(live: [members[0]], draining: [members[1], members[2]])
    #expect((0..<100).allSatisfy { ring.home(ofUser: "\($0)") == members[0] })
    #expect(ring.members.count == 3 && ring.homes == [members[0]])
    #expect(ring.member(slot: 2) == members[2] && ring.member(members[1].id) == members[1])
    #expect(ring.member(slot: 3) == nil && ring.member(slot: 1_000) == nil)
    #expect(ring.member(ServerID(rawValue: 1)) == nil)
    let last = ServerRing(live: [], draining: [members[1], members[2]])
    #expect(last.homes.count == 2)
  }

  @Test("server IDs are 16 hexadecimal digits")
  func ids() {
    #expect(ServerID(rawValue: 0xab).description == "00000000000000ab")
    #expect(ServerID("00000000000000ab") == ServerID(rawValue: 0xab))
    for text in ["", "ab", "00000000000000AB", "+0000000000000ab", "00000000000000ab0"] {
      #expect(ServerID(text) == nil)
    }
  }
}
