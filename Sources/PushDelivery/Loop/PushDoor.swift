import Curl
package import Store
import Synchronization

/// Posts requests to the delivery thread; requests posted after it is closed are dropped.
package final class PushDoor: Sendable {
  private let thread = Mutex<CurlThread<PushLoopRequest>?>(nil)

  package init() {}

  /// Reports jobs added to the store.
  package func didQueue(_ arrivals: [PushArrival]) { post(.queued(arrivals)) }

  /// Starts the delivery thread.
  ///
  /// Requests that are posted meanwhile wait: the thread reads jobs at once, and an answer that came before
  /// it was known here would be dropped.
  func open(
    _ start: () throws -> CurlThread<PushLoopRequest>
  ) rethrows -> CurlThread<PushLoopRequest> {
    try thread.withLock {
      let new = try start()
      $0 = new
      return new
    }
  }

  func close() { thread.withLock { $0 = nil } }

  /// - Returns: `false` when the request will not be answered.
  @discardableResult
  func post(_ request: PushLoopRequest) -> Bool {
    thread.withLock { $0 }?.post(request) ?? false
  }
}
