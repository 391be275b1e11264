/// The servers of a cluster at one moment, which determine the home of each channel and user.
///
/// Homes are found by rendezvous hashing: each server has a score for a key, and the highest score
/// wins. A server that leaves therefore moves only its own keys, in equal shares to the others. The
/// scores are the same in every process and every version.
package struct ServerRing: Sendable, Equatable {
  /// The maximum number of servers in a cluster.
  package static let capacity = 256

  /// All servers that can receive messages, by id: homes and draining servers.
  package let members: [ClusterMember]
  /// The servers that are homes, by id.
  package let homes: [ClusterMember]
  private let places: [UInt8?]

  /// Makes a ring of servers with different ids and slots, at least one.
  ///
  /// Draining servers are homes only if there are no others.
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

  /// The server that is the home of a channel.
  package func home(ofChannel url: String) -> ClusterMember {
    home(of: url, seed: 0x6368_616e_6e65_6c73)
  }

  /// The server that is the home of a user.
  package func home(ofUser id: String) -> ClusterMember {
    home(of: id, seed: 0x7573_6572_7300_0000)
  }

  /// The server with a number, or `nil` if it is gone.
  package func member(slot: UInt16) -> ClusterMember? {
    guard slot < Self.capacity, let place = places[Int(slot)] else { return nil }
    return members[Int(place)]
  }

  /// The server with an id, or `nil` if it is gone.
  package func member(_ id: ServerID) -> ClusterMember? {
    members.first { $0.id == id }
  }

  /// Whether a server's state is lost: it is gone, or it is silent and no longer a home.
  ///
  /// A draining server that is heard still answers its calls, or forwards them.
  ///
  /// - Parameter silent: The servers that are silent on the bus.
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
/// Must not change: servers of two versions would disagree on homes.
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
