import CCurl
package import Reactor
import Synchronization

/// A thread with a ``CurlLoop``, and its interface for other threads.
package final class CurlThread<Request: Sendable>: Sendable {
  private let inbox: CurlInbox<Request>
  private let thread: Mutex<Reactor.Thread?>

  /// - Parameter makeOwner: Called on the new thread, so that no other thread accesses the owner.
  /// - Throws: ``CurlError`` if the thread or libcurl cannot be started.
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

  /// - Returns: `false` if the thread was stopped: then the request is never answered.
  package func post(_ request: Request) -> Bool { inbox.post(request) }

  /// Stops the loop and waits for the thread to end, unless called on that thread.
  package func stop() {
    inbox.stop()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread, !thread.isCurrent { thread.join() }
  }
}

/// The requests from other threads to a loop's thread.
package final class CurlInbox<Request: Sendable>: Sendable {
  /// The requests collected since the thread's last check.
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

  /// - Parameter multi: The address of the handle to wake until ``close()``.
  package init(waking multi: UInt) { state = Mutex(State(multi: multi)) }

  /// - Returns: `false` if the thread was stopped: then the request is never answered.
  package func post(_ request: Request) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.requests.append(request)
      // The post that filled the empty inbox has already woken the thread.
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
  /// Waking happens under the lock, so a handle freed after this call is never woken.
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
