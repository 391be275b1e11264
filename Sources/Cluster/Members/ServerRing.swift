/// The servers of a cluster at one moment, and which of them each channel and user has as its home.
///
/// Homes are found by rendezvous hashing: each server has a score for a key, and the highest wins. So
/// a server that goes moves only its own keys, in equal shares to the others. The scores are the same
/// in every process and every version.
package struct ServerRing: Sendable, Equatable {
  /// The most servers that a cluster can have.
  package static let capacity = 256

  /// All servers that messages can be sent to, by id: those that are homes and those that drain.
  package let members: [ClusterMember]
  /// The servers that are homes, by id.
  package let homes: [ClusterMember]
  private let places: [UInt8?]

  /// Makes a ring of servers with different ids and slots, one at least.
  ///
  /// Draining servers are homes only when there is no other.
  package init(live: [ClusterMember], draining: [ClusterMember] = []) {
    let members = (live + draining).sorted { $0.id < $1.id }
    precondition(!members.isEmpty, "a ring has a server")
    var places = [UInt8?](repeating: nil, count: Self.capacity)
    for (index, member) in members.enumerated() {
      precondition(
        places[Int(member.slot)] == nil && (index == 0 || members[index - 1].id < member.id),
        "two servers of a ring have one slot or id")
      places[Int(member.slot)] = UInt8(index)
    }
    self.members = members
    self.places = places
    homes = live.isEmpty ? members : live.sorted { $0.id < $1.id }
  }

  /// The server on which a channel is judged.
  package func home(ofChannel url: String) -> ClusterMember {
    home(of: url, seed: 0x6368_616e_6e65_6c73)
  }

  /// The server on which a user's sessions are counted.
  package func home(ofUser id: String) -> ClusterMember {
    home(of: id, seed: 0x7573_6572_7300_0000)
  }

  /// The server with a number, or `nil` when it is gone.
  package func member(slot: UInt16) -> ClusterMember? {
    guard slot < Self.capacity, let place = places[Int(slot)] else { return nil }
    return members[Int(place)]
  }

  /// The server with an id, or `nil` when it is gone.
  package func member(_ id: ServerID) -> ClusterMember? {
    members.first { $0.id == id }
  }

  /// Whether what a server has does not come back: it is gone, or it is not heard and is no home any more.
  ///
  /// One that drains and is heard answers what it has, or passes it on.
  ///
  /// - Parameter silent: The servers that are not heard.
  package func hasLost(_ id: ServerID, silent: Set<ServerID>) -> Bool {
    member(id) == nil || silent.contains(id) && !homes.contains { $0.id == id }
  }

  private func home(of key: String, seed: UInt64) -> ClusterMember {
    guard homes.count > 1 else { return homes[0] }
    let hash = KeyHash(of: key, seed: seed)
    var best = homes[0]
    var highest: UInt64 = 0
    for member in homes {
      let score = hash.score(of: member.id)
      if score >= highest { (best, highest) = (member, score) }
    }
    return best
  }
}

/// The hash of a key in a ring: FNV-1a over its UTF-8, mixed with each server by the finalizer of
/// SplitMix64.
///
/// Never change it: servers of two versions would disagree on homes.
private struct KeyHash {
  private let value: UInt64

  init(of key: String, seed: UInt64) {
    var hash = 0xcbf2_9ce4_8422_2325 ^ seed
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    value = Self.mixed(hash)
  }

  func score(of server: ServerID) -> UInt64 { Self.mixed(value ^ Self.mixed(server.rawValue)) }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
