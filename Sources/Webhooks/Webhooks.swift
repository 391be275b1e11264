import Channels
import Curl
import Dispatch
package import Lanes
package import Logging
import Reactor
package import Store

/// Posts the events of the outbox to the configured URLs, on a thread of its own.
package final class Webhooks: Sendable {
  package let counters = WebhookCounters()
  private let door: DeliveryHandle
  private let thread: CurlThread<DeliveryRequest>
  private let store: Store

  /// Starts the thread, which continues with the waiting events.
  ///
  /// - Parameters:
  ///   - configuration: The URLs, and the rules for posting.
  ///   - contents: The outbox before any new events are added.
  ///   - store: The store with the outbox; to be closed after ``shutDown()``.
  ///   - cluster: The other servers; `nil` for none.
  ///   - door: Receives the store's reports of new events.
  ///   - logger: Logs when a URL fails, and when it works again.
  /// - Throws: When the thread or libcurl cannot be started.
  package init(
    _ configuration: WebhookConfiguration, contents: OutboxContents, store: Store,
    cluster: LaneCluster? = nil, door: DeliveryHandle, logger: Logger
  ) throws {
    self.store = store
    self.door = door
    let counters = counters
    thread = try CurlThread(
      // Messages have priority: they must not wait for webhooks.
      name: "webhooks", priority: .background,
      maximumConnections: configuration.concurrency * configuration.urls.count
    ) {
      DeliveryLoop(
        $0, configuration: configuration, store: store, cluster: cluster, door: door,
        counters: counters, logger: logger)
    }
    door.open(to: thread)
    door.post(.begin(contents))
  }

  /// Receives another server's report that lanes have new events.
  package func didQueue(in lanes: OutboxLanes) { door.post(.hinted(lanes)) }

  /// Applies other rules for posting; the URLs and the time limit of a request do not change.
  package func adopt(_ configuration: WebhookConfiguration) {
    door.post(.configure(configuration))
  }

  /// Reports the state of each URL, in the order of the configuration.
  ///
  /// - Parameter completion: Called once, on any thread.
  package func report(
    _ completion: @escaping @Sendable (Result<[ReceiverReport], StoreError>) -> Void
  ) {
    if !door.post(.report(count(completion))) { completion(.failure(StoreError.closed)) }
  }

  /// Retries events that wait for a time soon.
  ///
  /// With several servers, this applies to the channels that this server delivers.
  package func retry() { door.post(.retry) }

  /// Adds the numbers of waiting events.
  private func count(
    _ completion: @escaping @Sendable (Result<[ReceiverReport], StoreError>) -> Void
  ) -> @Sendable ([ReceiverReport]) -> Void {
    let store = store
    return { reports in
      let count = OutboxBacklogCount(receiverIDs: reports.map(\.id))
      store.perform(count, for: .server) { result, _ in
        completion(
          result.map { backlogs in
            zip(reports, backlogs).map { report, backlog in
              var report = report
              report.backlog = backlog
              return report
            }
          })
      }
    }
  }

  /// Posts a signed `webhook.test` event to each URL, and reports the answers.
  ///
  /// - Parameter completion: Called once, on any thread.
  package func test(_ completion: @escaping @Sendable ([WebhookTestResult]) -> Void) {
    if !door.post(.test(completion)) { completion([]) }
  }

  /// Waits a short time for the requests in progress, and stops.
  ///
  /// Events that were not received stay in the store for the next start.
  package func shutDown() {
    let finished = DispatchSemaphore(value: 0)
    if door.post(.finish { finished.signal() }) { finished.wait() }
    thread.stop()
    door.close()
  }
}
