import CCurl
import Synchronization

/// What other threads ask of the transfer thread.
final class TransferInbox: Sendable {
  enum Request: Sendable {
    case start(Fetch)
    case cancel(UInt64)
  }

  /// What has gathered since the thread last looked.
  struct Batch {
    var requests: [Request]
    var isStopping: Bool
  }

  private struct State {
    var requests: [Request] = []
    var isStopping = false
    /// The multi handle's address, while its thread lives.
    var multi: UInt?
  }

  private let state = Mutex(State())

  /// - Returns: `false` when the thread has been asked to stop: nobody will answer the request.
  func post(_ request: Request) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.requests.append(request)
      Self.wake(state)
      return true
    }
  }

  func stop() {
    state.withLock { state in
      state.isStopping = true
      Self.wake(state)
    }
  }

  /// The handle to wake from now on.
  ///
  /// The one thread that polls it opens and closes the inbox, and
  /// waking happens under the lock, so a handle that is gone is never woken.
  func open(_ multi: UnsafeMutableRawPointer) {
    state.withLock { $0.multi = UInt(bitPattern: multi) }
  }

  func close() {
    state.withLock { $0.multi = nil }
  }

  func take() -> Batch {
    state.withLock { state in
      defer { state.requests = [] }
      return Batch(requests: state.requests, isStopping: state.isStopping)
    }
  }

  private static func wake(_ state: State) {
    guard let address = state.multi, let multi = UnsafeMutableRawPointer(bitPattern: address) else {
      return
    }
    curl_multi_wakeup(multi)
  }
}
