import CCurl
package import Reactor
import Synchronization

/// A thread with a ``CurlLoop``, and the door to it for other threads.
package final class CurlThread<Request: Sendable>: Sendable {
  private let inbox: CurlInbox<Request>
  private let thread: Mutex<Reactor.Thread?>

  /// - Parameter makeOwner: Called on the new thread, so nothing of the owner is seen by another.
  /// - Throws: ``CurlError`` when the thread or libcurl cannot be started.
  package init<Owner: CurlLoopOwner>(
    name: String, priority: Reactor.Thread.Priority, maximumConnections: Int,
    makeOwner: @escaping @Sendable (CurlLoop<Owner.Transfer>) -> Owner
  ) throws(CurlError) where Owner.Request == Request {
    guard CurlLibrary.isReady, let multi = curl_multi_init() else {
      throw CurlError("libcurl cannot be initialised")
    }
    // As a number: the thread owns the handle, and posting only wakes it.
    let address = UInt(bitPattern: multi)
    let inbox = CurlInbox<Request>(waking: address)
    self.inbox = inbox
    do throws(SystemError) {
      thread = Mutex(
        try Reactor.Thread(name: name, priority: priority) {
          guard let multi = UnsafeMutableRawPointer(bitPattern: address) else { return }
          let loop = CurlLoop<Owner.Transfer>(multi, maximumConnections: maximumConnections)
          loop.run(inbox, for: makeOwner(loop))
        })
    } catch {
      curl_multi_cleanup(multi)
      throw CurlError("\(error)")
    }
  }

  deinit { inbox.stop() }

  /// - Returns: `false` when the thread was asked to stop: the request will get no answer.
  package func post(_ request: Request) -> Bool { inbox.post(request) }

  /// Stops the loop and waits for the thread's end, unless called on it.
  package func stop() {
    inbox.stop()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread, !thread.isCurrent { thread.join() }
  }
}

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
      // The post that filled the empty inbox has woken the thread already.
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
