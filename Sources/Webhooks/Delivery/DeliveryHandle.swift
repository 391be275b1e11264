import Curl
package import Store
import Synchronization

/// Posts requests to the delivery thread; requests posted after it is closed are dropped.
package final class DeliveryHandle: Sendable {
  private let thread = Mutex<CurlThread<DeliveryRequest>?>(nil)

  package init() {}

  /// Reports events added to the outbox.
  package func didQueue(_ arrivals: [OutboxArrival]) { post(.queued(arrivals)) }

  func open(to new: CurlThread<DeliveryRequest>) { thread.withLock { $0 = new } }

  func close() { thread.withLock { $0 = nil } }

  /// - Returns: `false` when the request will not be answered.
  @discardableResult
  func post(_ request: DeliveryRequest) -> Bool {
    thread.withLock { $0 }?.post(request) ?? false
  }
}
