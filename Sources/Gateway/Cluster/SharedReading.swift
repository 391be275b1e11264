import Cluster
import ParleyProtocol
import ShardMessages
import Store
import Synchronization

/// Reads again from the store what other servers have changed.
///
/// A read that is asked for while one is under way follows it, so the last read begins after the last
/// change.
final class SharedReading: Sendable {
  private enum Progress {
    case idle
    case reading
    /// Another change has come meanwhile.
    case readingOnceMore
  }

  private let progress = Mutex<[SharedState: Progress]>([:])

  /// Reads a part again.
  func read(_ state: SharedState, for services: GatewayServices) {
    let begins = progress.withLock { progress in
      switch progress[state] ?? .idle {
      case .idle:
        progress[state] = .reading
        return true
      case .reading, .readingOnceMore:
        progress[state] = .readingOnceMore
        return false
      }
    }
    if begins { begin(state, services) }
  }

  private func begin(_ state: SharedState, _ services: GatewayServices) {
    switch state {
    case .limits:
      services.store.perform(SharedLimits()) { [self] result in
        if case .success(let limits) = result {
          services.limits.replace(with: limits)
          services.shards.sendToAll(.renewLimits)
        }
        end(state, services)
      }
    case .apiTokens:
      services.store.perform(APITokenList()) { [self] result in
        if case .success(let tokens) = result { services.apiTokens.issued.replace(with: tokens) }
        end(state, services)
      }
    }
  }

  private func end(_ state: SharedState, _ services: GatewayServices) {
    let isDone = progress.withLock { progress in
      let isDone = progress[state] != .readingOnceMore
      progress[state] = isDone ? .idle : .reading
      return isDone
    }
    if !isDone { begin(state, services) }
  }
}

extension GatewayServices {
  /// Has all other servers take over what was changed in the store; on any thread.
  ///
  /// A server that loses the message learns of the loss, and reads all again.
  func didChange(_ state: SharedState) {
    guard let network else { return }
    // A read that began before the change may end after it.
    sharedReading.read(state, for: self)
    for member in network.ring.members where member.id != network.local.id {
      shards.send(.shard(ShardAddress(server: member.slot, shard: 0), .reread(state)))
    }
  }

  /// Reads all again that other servers may have changed.
  func rereadAll() {
    for state in SharedState.allCases { sharedReading.read(state, for: self) }
  }
}

extension Shard {
  /// Closes sessions whose users were deactivated while messages about it may have been lost.
  func checkUsers(of sessions: [Session]) {
    let ids = Set(sessions.compactMap(\.userID))
    let path = returnPath
    var rest = ids[...]
    while !rest.isEmpty {
      let batch = Set(rest.prefix(200))
      rest = rest.dropFirst(200)
      services.store.perform(DeactivatedUsers(among: batch)) { result in
        guard case .success(let found) = result, !found.isEmpty else { return }
        path.resume { shard in
          for session in shard.sessions.all {
            guard let id = session.userID, found.contains(id) else { continue }
            session.close(.unauthorized, reason: "the user is deactivated")
          }
        }
      }
    }
  }
}
