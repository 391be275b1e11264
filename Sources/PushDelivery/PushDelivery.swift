import Channels
import Curl
import Dispatch
package import Lanes
package import Logging
import ParleyProtocol
import Push
import Reactor
package import Store

/// Sends the pushes of the store's jobs to the devices of users, on a thread of its own.
package final class PushDelivery: Sendable {
  package let counters = PushCounters()
  private let door: PushDoor
  private let thread: CurlThread<PushLoopRequest>
  private let store: Store

  /// Starts the thread, which continues with the waiting jobs.
  ///
  /// - Parameters:
  ///   - configuration: The ways, and the rules of sending.
  ///   - store: The store with the jobs; to be closed after ``shutDown()``.
  ///   - cluster: The other servers; `nil` for none.
  ///   - isAttending: Whether a user has a session that is not in the background, on any server; called
  ///     on the delivery thread.
  ///   - door: Receives the store's reports of new jobs.
  ///   - logger: Logs when a way fails, and when it works again.
  /// - Throws: When the thread or libcurl cannot be started.
  package init(
    _ configuration: PushConfiguration, store: Store, cluster: LaneCluster? = nil,
    isAttending: @escaping @Sendable (_ userID: String) -> Bool, door: PushDoor, logger: Logger
  ) throws {
    self.store = store
    self.door = door
    let counters = counters
    thread = try door.open {
      try CurlThread(
        // Messages have priority: they must not wait for pushes.
        name: "push", priority: .background,
        maximumConnections: configuration.concurrency
      ) {
        PushLoop(
          $0, configuration: configuration, store: store, cluster: cluster,
          isAttending: isAttending, door: door, counters: counters, logger: logger)
      }
    }
  }

  /// Receives another server's report that lanes have new jobs.
  package func didQueue(in lanes: OutboxLanes) { door.post(.hinted(lanes)) }

  /// Notes that a user has read a channel on one device, for the badges of the others.
  package func didRead(_ userID: String, channelURL: String) {
    door.post(.didRead(userID: userID, channelURL: channelURL))
  }

  /// Applies other ways and rules; the time limit of a request does not change for lanes.
  package func adopt(_ configuration: PushConfiguration) { door.post(.configure(configuration)) }

  /// Reports the state of the ways.
  ///
  /// - Parameter completion: Called once, on any thread.
  package func report(
    _ completion: @escaping @Sendable (Result<PushReport, StoreError>) -> Void
  ) {
    if !door.post(.report { completion(.success($0)) }) { completion(.failure(.closed)) }
  }

  /// Sends a push to each device of a user, and reports the outcomes.
  ///
  /// - Parameter completion: Called once, on any thread. Error: `noUser`.
  package func test(
    _ userID: String,
    _ completion: @escaping @Sendable (Result<[PushTestResult], StoreError>) -> Void
  ) {
    let (store, door) = (store, door)
    store.perform(PushTokens(of: userID)) { result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let tokens):
        store.perform(PushBadges(of: [userID]), for: .server) { badges, _ in
          let badge = (try? badges.get())?[userID] ?? 0
          let isPosted = door.post(
            .test(userID: userID, tokens, badge: badge) { completion(.success($0)) })
          if !isPosted { completion(.failure(.closed)) }
        }
      }
    }
  }

  /// Judges a message for a user as if it were pushed now.
  ///
  /// - Parameter completion: Called once, on any thread. Error: `notFound(.message)`.
  package func explain(
    _ userID: String, messageID: Int64,
    _ completion: @escaping @Sendable (Result<PushExplanation, StoreError>) -> Void
  ) {
    let (store, door) = (store, door)
    store.perform(PushMessageLookup(messageID, for: userID)) { result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let job):
        store.perform(PushAudience(of: job, limit: 1), for: .server) { result, _ in
          switch result {
          case .failure(let error): completion(.failure(error))
          case .success(let page):
            let isPosted = door.post(
              .explain(userID: userID, page) { completion(.success($0)) })
            if !isPosted { completion(.failure(.closed)) }
          }
        }
      }
    }
  }

  /// Waits a short time for the requests in progress, and stops.
  ///
  /// Pushes without an outcome stay in the store for the next start.
  package func shutDown() {
    let finished = DispatchSemaphore(value: 0)
    if door.post(.finish { finished.signal() }) { finished.wait() }
    thread.stop()
    door.close()
  }
}
