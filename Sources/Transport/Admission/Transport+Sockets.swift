import Reactor

/// Room for new connections.
extension Transport {
  /// The number of the longest silent connections that are searched for an idle one.
  private static let shedSearch = 64

  /// Counts an accepted socket.
  ///
  /// When there are too many sockets, closes the connection without a session that has been silent
  /// longest.
  ///
  /// - Returns: `false` when there is no such connection and no room left.
  func makeRoom(in pool: SocketPool) -> Bool {
    guard let sharing = configuration.sockets else { return true }
    let budget = sharing.budget(of: pool)
    switch budget.take() {
    case .atEase: break
    case .short:
      if let loop = budget.loopWithOldest, loop != sharing.loop {
        sharing.askToShed(loop, pool)
      } else {
        shed(in: pool)
      }
    case .exhausted:
      guard shed(in: pool) else {
        budget.give()
        counters.turnedAway += 1
        delegate?.transportHasNoRoom()
        return false
      }
    }
    return true
  }

  /// Closes the connection without a session that has been silent longest.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func shed(in pool: SocketPool) -> Bool {
    guard let slot = longestSilent(in: pool), let victim = connections.connection(inSlot: slot)
    else { return false }
    counters.shed += 1
    delegate?.connectionWillBeShed(victim)
    victim.drop()
    return true
  }

  /// The longest silent connection, if possible one that is not waiting for an answer from the server.
  private func longestSilent(in pool: SocketPool) -> UInt32? {
    let first = silence.first(in: pool)
    var candidate = first
    for _ in 0..<Self.shedSearch {
      guard let slot = candidate else { break }
      if connections.connection(inSlot: slot)?.awaitsAnswer != true { return slot }
      candidate = silence.next(after: slot)
    }
    return first
  }

  /// Publishes to the other event loops how long this one's connections have been silent.
  func noteSilence() {
    guard let sharing = configuration.sockets else { return }
    for pool in SocketPool.allCases {
      let time = silence.oldestTime(in: pool)
      guard time != notedSilence[pool.index] else { continue }
      notedSilence[pool.index] = time
      sharing.budget(of: pool).note(time, on: sharing.loop)
    }
  }
}
