internal import ClientTransport
internal import ParleyProtocol
internal import Reactor
internal import Synchronization

/// A client's session with its server: calls, events, staying connected.
///
/// Usable from any thread. Completions and events come one after the other on the engine's own
/// thread, which many engines share: they must not block. Only what is refused outright is
/// completed on the caller's thread, before the call returns. A call is completed exactly once, at
/// the latest when its time is up or the engine is given up. Events are handed on as they come;
/// bounding what the application has not taken yet is up to the receiver.
final class Engine: Sendable {
  typealias Completion = @Sendable (Result<[UInt8], ParleyError>) -> Void

  private let configuration: EngineConfiguration
  private let deliver: @Sendable (EngineEvent) -> Void
  private let lastID = Atomic<Int64>(0)
  /// Calls that were made and are not completed, whether the engine's thread knows them or not.
  private let openCalls = OpenCalls()
  /// Set with the first session.
  private let loop: Mutex<ClientLoop?>

  /// - Parameters:
  ///   - loop: The thread to use; `nil` for the one that all clients share.
  ///   - deliver: Receives all events in order, on the engine's thread.
  init(
    _ configuration: EngineConfiguration, on loop: ClientLoop? = nil,
    deliver: @escaping @Sendable (EngineEvent) -> Void
  ) {
    self.configuration = configuration
    self.deliver = deliver
    self.loop = Mutex(loop)
  }

  deinit {
    let key = ObjectIdentifier(self)
    loop.withLock { $0 }?.post { $0.members.removeValue(forKey: key)?.abandon() }
  }

  /// Opens a session, and keeps it open from then on.
  ///
  /// - Parameter completion: Given the JSON of the result of `session.open`, or why there is no
  ///   session: the first connection is tried until the configured time is up, unless trying again
  ///   would not help.
  /// - Returns: What ``cancel(_:)`` gives up the first connection by.
  @discardableResult
  func open(
    _ credentials: SessionCredentials, completion: @escaping Completion
  ) -> EngineCallID {
    let id = nextID()
    let (plan, loop): (ConnectionPlan, ClientLoop)
    do throws(ParleyError) {
      plan = try ConnectionPlan(configuration)
      loop = try startLoop()
    } catch {
      completion(.failure(error))
      return id
    }
    let (key, deliver) = (ObjectIdentifier(self), deliver)
    let settings = SessionMachine.Settings(configuration)
    loop.post { context in
      let session =
        context.members[key] as? SessionDriver
        ?? SessionDriver(plan, settings, context: context, deliver: deliver)
      context.members[key] = session
      session.handle(.open(id, credentials), id, completion)
    }
    return id
  }

  /// Goes on with another token, now and when reconnecting.
  @discardableResult
  func refresh(accessToken: String, completion: @escaping Completion) -> EngineCallID {
    let id = nextID()
    submit(.refresh(id, accessToken: accessToken), id, completion)
    return id
  }

  /// Ends the session, after what was sent has been answered; there is no coming back.
  func close(completion: @escaping @Sendable () -> Void) {
    let id = nextID()
    submit(.close(id), id) { _ in completion() }
  }

  /// Makes a call.
  ///
  /// - Parameter completion: Given the JSON of the result.
  @discardableResult
  func call(_ call: EngineCall, completion: @escaping Completion) -> EngineCallID {
    let id = nextID()
    // More than wait for answers may wait for the thread, but not without end.
    guard openCalls.begin(below: configuration.callLimit) else {
      completion(.failure(.tooManyPending(limit: configuration.maximumPendingCalls)))
      return id
    }
    submit(.call(id, call), id) { [openCalls] result in
      openCalls.end()
      completion(result)
    }
    return id
  }

  /// Gives a call up: it is completed with ``ParleyError/cancelled`` unless it was before.
  func cancel(_ id: EngineCallID) {
    let key = ObjectIdentifier(self)
    loop.withLock { $0 }?.post { ($0.members[key] as? SessionDriver)?.handle(.cancel(id)) }
  }

  /// Gives a call up as ``cancel(_:)`` does, unless it was sent: then its outcome comes.
  func withdraw(_ id: EngineCallID) {
    let key = ObjectIdentifier(self)
    loop.withLock { $0 }?.post { ($0.members[key] as? SessionDriver)?.handle(.withdraw(id)) }
  }

  private func submit(
    _ input: SessionInput, _ id: EngineCallID, _ completion: @escaping Completion
  ) {
    let key = ObjectIdentifier(self)
    guard let loop = loop.withLock({ $0 }) else { return completion(.failure(.notConnected)) }
    loop.post { context in
      guard let session = context.members[key] as? SessionDriver else {
        return completion(.failure(.notConnected))
      }
      session.handle(input, id, completion)
    }
  }

  private func nextID() -> EngineCallID {
    EngineCallID(number: lastID.add(1, ordering: .relaxed).newValue)
  }

  private func startLoop() throws(ParleyError) -> ClientLoop {
    if let loop = loop.withLock({ $0 }) { return loop }
    let shared: ClientLoop
    do throws(SystemError) {
      shared = try ClientLoop.shared()
    } catch {
      throw .connectionFailed(error.description)
    }
    loop.withLock { $0 = $0 ?? shared }
    return shared
  }
}

/// The number of calls under way.
private final class OpenCalls: Sendable {
  private let count = Atomic<Int>(0)

  /// Counts one more, unless there are as many as allowed.
  func begin(below limit: Int) -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= limit else {
      end()
      return false
    }
    return true
  }

  func end() {
    count.subtract(1, ordering: .relaxed)
  }
}

extension EngineConfiguration {
  /// Calls under way, those included that the engine's thread has not looked at yet.
  fileprivate var callLimit: Int { min(max(1, maximumPendingCalls), Int.max / 4) * 2 }
}

extension SessionMachine.Settings {
  init(_ configuration: EngineConfiguration) {
    requestTimeout = configuration.requestTimeout.timeout
    connectTimeout = configuration.connectTimeout.timeout
    maximumPendingCalls = max(1, configuration.maximumPendingCalls)
    maximumPendingBytes = max(1024, configuration.maximumPendingBytes)
    maximumMessageBytes = configuration.messageLimit
    reconnection = configuration.reconnection
  }
}

/// An event of the engine that is not an answer to a call.
enum EngineEvent: Sendable {
  /// A notification of the server, as it came or out of the answer to a re-entering; each durable
  /// event of a channel comes once and in the channel's order.
  case notification(method: String, params: JSONNode?)
  /// The application's request to enter a channel was granted, even if nobody waits for that.
  case entered(channelURL: String)
  /// The client is no longer in a channel that the application asked to leave.
  case left(channelURL: String)
  /// A channel was entered again, and the `missed` events were delivered before this.
  case recovered(channelURL: String, missed: Int)
  /// A channel was entered again with a gap, or could not be entered again.
  case recoveryFailed(channelURL: String, reason: RecoveryFailure)
  /// The server gave another file key, or none to the first session since `connect`.
  case fileKeyChanged(FileKey?)
  /// The features of the server, at the begin of each session.
  case featuresChanged(ServerFeatures)
  /// The connection is in another state.
  case stateChanged(ConnectionState)
}

/// The reason why a channel's events are not continuous across a reconnection.
enum RecoveryFailure: Sendable {
  /// The channel is entered again, but what happened meanwhile is not known: fetch it.
  case gap
  /// The user is banned: the channel is left.
  case banned
  /// The channel does not exist any more: it is left.
  case deleted
  /// The server would not let the client in again for another reason: the channel is left.
  case refused(ParleyError)
}
