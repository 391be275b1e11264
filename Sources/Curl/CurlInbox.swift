import CCurl
import Synchronization

/// The requests of other threads to a loop's thread.
package final class CurlInbox<Request: Sendable>: Sendable {
  /// The requests that have gathered since the thread last looked.
  package struct Batch {
    package var requests: [Request]
    package var isStopping: Bool
  }

  private struct State {
    var requests: [Request] = []
    var isStopping = false
    /// The multi handle's address, while it may be woken.
    var multi: UInt?
  }

  private let state: Mutex<State>

  /// - Parameter multi: The address of the handle that is woken until ``close()``.
  package init(waking multi: UInt) { state = Mutex(State(multi: multi)) }

  /// - Returns: `false` when the thread has been asked to stop: the request is never answered.
  package func post(_ request: Request) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.requests.append(request)
      // Whoever filled the empty inbox has woken the thread already.
      if state.requests.count == 1 { Self.wake(state) }
      return true
    }
  }

  package func stop() {
    state.withLock { state in
      state.isStopping = true
      Self.wake(state)
    }
  }

  /// Stops waking the loop.
  ///
  /// Waking happens under the lock, so a handle that is cleaned up after this call is never woken.
  package func close() {
    state.withLock { $0.multi = nil }
  }

  package func take() -> Batch {
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
