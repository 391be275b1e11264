import Channels

extension ReturnPath {
  /// Finds out which users have a session, by asking their homes.
  ///
  /// On any thread.
  ///
  /// - Parameter answer: Called once, on the shard.
  func online(among ids: [String], _ answer: @escaping @Sendable (Set<String>) -> Void) {
    resume { shard in
      let (shards, servers) = shard.homes(ofUsers: ids)
      shard.ask(.online(ids), of: shards, servers) { answers in
        var found: Set<String> = []
        for case .online(let ids) in answers { found.formUnion(ids) }
        answer(found)
      }
    }
  }
}

extension Shard {
  /// The shards of this server and the other servers that users are at home on.
  fileprivate func homes(ofUsers ids: [String]) -> ([ShardHandle], [UInt16]) {
    let shards = services.shards
    var (places, servers): (Set<Int>, Set<UInt16>) = ([], [])
    for id in ids {
      if let server = edge?.routes.server(ofUser: id) {
        servers.insert(server)
      } else {
        places.insert(shards.home(ofUser: id).index)
      }
    }
    return (places.sorted().map { shards[$0] }, servers.sorted())
  }
}
