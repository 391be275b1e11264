internal import Cluster
internal import Dispatch
internal import Reactor
internal import Synchronization

/// The thread on which a registry waits for its database, so that the bus never waits.
final class RegistryThread: Sendable {
  enum Request: Sendable {
    case beat(ServerState, isOnBus: Bool)
    case declareDead(ServerID, DeathEvidence)
    /// Publishes the settings of these options with the next beat.
    case agree(ClusterOptions)
    case leave
  }

  enum Answer: Sendable {
    case beat(RegistryView, ClockSample)
    /// The connection was lost and reopened; an answer to a beat follows.
    case reconnected
    case changed
    case failed(ClusterError)
    case left
  }

  /// This server, as stored in the registry.
  let place: ServerRegistry.Place
  private let requests: RequestQueue
  private let thread: Thread

  /// Starts the thread and waits until the server is registered.
  ///
  /// - Parameter answer: Called on the thread, once for each beat and for the leave, and for
  ///   declared deaths.
  init(
    _ id: ServerID, _ options: ClusterOptions, _ answer: @escaping @Sendable (Answer) -> Void
  ) throws(ClusterError) {
    let requests = RequestQueue()
    let report = RegistrationReport()
    self.requests = requests
    do throws(SystemError) {
      thread = try Thread(name: "registry") {
        let registry = ServerRegistry(id, options)
        guard report.add(Result { () throws(ClusterError) in try registry.register() }) else {
          return
        }
        while let request = requests.next() { Self.carryOut(request, on: registry, answer) }
      }
    } catch {
      throw .system("\(error)")
    }
    place = try report.wait()
  }

  deinit { requests.end() }

  func post(_ request: Request) { requests.add(request) }

  private static func carryOut(
    _ request: Request, on registry: ServerRegistry, _ answer: (Answer) -> Void
  ) {
    do throws(ClusterError) {
      switch request {
      case .beat(let state, let isOnBus):
        let result = try registry.beat(state, isOnBus: isOnBus)
        if result.isReconnected { answer(.reconnected) }
        answer(.beat(result.view, result.clock))
      case .declareDead(let server, let evidence):
        if try registry.declareDead(server, evidence) { answer(.changed) }
      case .agree(let options): registry.adopt(options)
      case .leave:
        try registry.leave()
        answer(.left)
      }
    } catch {
      switch request {
      case .beat: answer(.failed(error))
      case .agree: break
      // Repeated for as long as the evidence lasts.
      case .declareDead: break
      case .leave: answer(.left)
      }
    }
  }
}

/// The outcome of the registration, for the thread that waits for it.
private final class RegistrationReport: Sendable {
  private let outcome = Mutex<Result<ServerRegistry.Place, ClusterError>?>(nil)
  private let added = DispatchSemaphore(value: 0)

  /// - Returns: Whether the server is registered.
  func add(_ result: Result<ServerRegistry.Place, ClusterError>) -> Bool {
    outcome.withLock { $0 = result }
    added.signal()
    return (try? result.get()) != nil
  }

  func wait() throws(ClusterError) -> ServerRegistry.Place {
    added.wait()
    guard let result = outcome.withLock({ $0 }) else { throw .system("no registration") }
    return try result.get()
  }
}

/// The queue of requests for the registry's thread.
private final class RequestQueue: Sendable {
  private struct State {
    var requests: [RegistryThread.Request] = []
    var isEnded = false
  }

  private let state = Mutex(State())
  private let added = DispatchSemaphore(value: 0)

  func add(_ request: RegistryThread.Request) {
    state.withLock { $0.requests.append(request) }
    added.signal()
  }

  func end() {
    state.withLock { $0.isEnded = true }
    added.signal()
  }

  /// Waits for a request; `nil` at the end of the queue.
  func next() -> RegistryThread.Request? {
    while true {
      added.wait()
      let (request, isEnded) = state.withLock { state in
        (state.requests.isEmpty ? nil : state.requests.removeFirst(), state.isEnded)
      }
      if let request { return request }
      if isEnded { return nil }
    }
  }
}
