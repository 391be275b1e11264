import Synchronization

/// The sends that wait on this server, in all channels: bounded in number and in bytes.
final class SendWaitBudget: Sendable {
  static let countLimit = 1_000
  static let byteLimit = 8_388_608

  private let state = Mutex((count: 0, byteCount: 0, isClosed: false))

  /// Counts a send that is to wait, unless there is no room, or the server stops.
  func admit(_ byteCount: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosed, state.count < Self.countLimit,
        state.byteCount + byteCount <= Self.byteLimit
      else { return false }
      state.count += 1
      state.byteCount += byteCount
      return true
    }
  }

  func end(_ byteCount: Int) {
    state.withLock { state in
      state.count -= 1
      state.byteCount -= byteCount
    }
  }

  /// Lets no more wait.
  func close() { state.withLock { $0.isClosed = true } }

  /// The sends that wait now.
  var count: Int { state.withLock { $0.count } }
}
