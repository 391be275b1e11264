import Synchronization

/// The waiting sends in all channels of this server, limited in number and in bytes.
final class SendWaitBudget: Sendable {
  static let countLimit = 1_000
  static let byteLimit = 8_388_608

  private let state = Mutex((count: 0, byteCount: 0, isClosed: false))

  /// Counts a send that will wait, unless there is no room or the server is stopping.
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

  /// Refuses further sends.
  func close() { state.withLock { $0.isClosed = true } }

  /// The number of waiting sends.
  var count: Int { state.withLock { $0.count } }
}
