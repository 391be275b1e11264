import Curl
package import Store
import Synchronization

/// The way from other threads to the one that delivers; closed, it swallows what comes.
package final class DeliveryHandle: Sendable {
  private let thread = Mutex<CurlThread<DeliveryRequest>?>(nil)

  package init() {}

  /// Tells of events that were put into the outbox.
  package func didQueue(_ arrivals: [OutboxArrival]) { post(.queued(arrivals)) }

  func open(to new: CurlThread<DeliveryRequest>) { thread.withLock { $0 = new } }

  func close() { thread.withLock { $0 = nil } }

  /// - Returns: `false` when nobody will answer the request.
  @discardableResult
  func post(_ request: DeliveryRequest) -> Bool {
    thread.withLock { $0 }?.post(request) ?? false
  }
}
