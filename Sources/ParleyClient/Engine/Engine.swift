internal import ClientTransport
internal import ParleyProtocol

/// A client's session with its server: calls, events and reconnection.
///
/// Usable from any thread. Completions and events run one at a time on the engine's thread, which
/// many engines share: they must not block. Only calls rejected immediately are completed on the
/// caller's thread, before the method returns. A call is completed exactly once, at the latest when
/// its time limit passes or the engine is released. Events are forwarded immediately; the receiver
/// must bound the events that the application has not consumed.
final class Engine: Sendable {
  typealias Completion = @Sendable (Result<[UInt8], ParleyError>) -> Void

  private let configuration: EngineConfiguration
  private let deliver: @Sendable (EngineEvent) -> Void
  private let lastID = Locked<Int64>(0)
  /// Calls that are not completed, including those that the engine's thread has not seen.
  private let openCalls = OpenCalls()
  /// Set with the first session.
  private let lane: Locked<(any Lane)?>

  /// - Parameters:
  ///   - lane: The lane to use; `nil` for the platform's, which all clients share.
  ///   - deliver: Receives all events in order, on the engine's thread.
  init(
    _ configuration: EngineConfiguration, on lane: (any Lane)? = nil,
    deliver: @escaping @Sendable (EngineEvent) -> Void
  ) {
    self.configuration = configuration
    self.deliver = deliver
    self.lane = Locked(lane)
  }

  deinit {
    let key = ObjectIdentifier(self)
    lane.withLock { $0 }?.run { $0.members.removeValue(forKey: key)?.abandon() }
  }

  /// Opens a session and keeps it open.
  ///
  /// - Parameter completion: Receives the JSON of the result of `session.open`, or the error. The
  ///   first connection is retried until its time limit passes, unless a retry would not help.
  /// - Returns: The id for cancelling the first connection with ``cancel(_:)``.
  @discardableResult
  func open(
    _ credentials: SessionCredentials, completion: @escaping Completion
  ) -> EngineCallID {
    let id = nextID()
    let (plan, lane): (ConnectionPlan, any Lane)
    do throws(ParleyError) {
      plan = try ConnectionPlan(configuration)
      lane = try startLane()
    } catch {
      completion(.failure(error))
      return id
    }
    let (key, deliver) = (ObjectIdentifier(self), deliver)
    let (settings, transport) = (SessionMachine.Settings(configuration), configuration.transport)
    lane.run { context in
      let session =
        context.members[key] as? SessionDriver
        ?? SessionDriver(plan, transport, settings, context: context, deliver: deliver)
      context.members[key] = session
      session.handle(.open(id, credentials), id, completion)
    }
    return id
  }

  /// Replaces the token, now and for reconnections.
  @discardableResult
  func refresh(accessToken: String, completion: @escaping Completion) -> EngineCallID {
    let id = nextID()
    submit(.refresh(id, accessToken: accessToken), id, completion)
    return id
  }

  /// Ends the session after all sent calls were answered; the engine cannot be used again.
  func close(completion: @escaping @Sendable () -> Void) {
    let id = nextID()
    submit(.close(id), id) { _ in completion() }
  }

  /// Makes a call.
  ///
  /// - Parameter completion: Receives the JSON of the result.
  @discardableResult
  func call(_ call: EngineCall, completion: @escaping Completion) -> EngineCallID {
    let id = nextID()
    // More calls may wait for the thread than for responses, but their number is bounded too.
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

  /// Cancels a call: it completes with ``ParleyError/cancelled`` unless it already has.
  func cancel(_ id: EngineCallID) {
    let key = ObjectIdentifier(self)
    lane.withLock { $0 }?.run { ($0.members[key] as? SessionDriver)?.handle(.cancel(id)) }
  }

  /// Cancels a call as ``cancel(_:)`` does, unless it was sent: then it completes with its outcome.
  func withdraw(_ id: EngineCallID) {
    let key = ObjectIdentifier(self)
    lane.withLock { $0 }?.run { ($0.members[key] as? SessionDriver)?.handle(.withdraw(id)) }
  }

  private func submit(
    _ input: SessionInput, _ id: EngineCallID, _ completion: @escaping Completion
  ) {
    let key = ObjectIdentifier(self)
    guard let lane = lane.withLock({ $0 }) else { return completion(.failure(.notConnected)) }
    lane.run { context in
      guard let session = context.members[key] as? SessionDriver else {
        return completion(.failure(.notConnected))
      }
      session.handle(input, id, completion)
    }
  }

  private func nextID() -> EngineCallID {
    EngineCallID(
      number: lastID.withLock { id in
        id += 1
        return id
      })
  }

  private func startLane() throws(ParleyError) -> any Lane {
    if let lane = lane.withLock({ $0 }) { return lane }
    let shared = try PlatformLane.shared()
    lane.withLock { $0 = $0 ?? shared }
    return shared
  }
}

/// The number of open calls.
private final class OpenCalls: Sendable {
  private let count = Locked(0)

  /// Counts another call, unless the limit is reached.
  func begin(below limit: Int) -> Bool {
    count.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  func end() {
    count.withLock { $0 -= 1 }
  }
}

extension EngineConfiguration {
  /// The maximum number of open calls, including those that the engine's thread has not seen.
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
    receivesGroups = configuration.receivesGroups
  }
}

/// An event of the engine other than the result of a call.
enum EngineEvent: Sendable {
  /// A notification of the server, received directly or in the response to re-entering a channel.
  /// Each durable event of a channel is delivered once and in the channel's order.
  case notification(method: String, params: JSONNode?)
  /// The client entered a channel as requested, even if no caller waits for the result.
  case entered(channelURL: String)
  /// The client is no longer in a channel that the application left.
  case left(channelURL: String)
  /// A channel was re-entered, and the `missed` events were delivered before this event.
  case recovered(channelURL: String, missed: Int)
  /// A channel was re-entered with a gap, or could not be re-entered.
  case recoveryFailed(channelURL: String, reason: RecoveryFailure)
  /// The server sent another file key, or none in the first session since `connect`.
  case fileKeyChanged(FileKey?)
  /// The features of the server, at the start of each session.
  case featuresChanged(ServerFeatures)
  /// The connection state changed.
  case stateChanged(ConnectionState)
}

/// The reason why a channel's events are not continuous across a reconnection.
enum RecoveryFailure: Sendable {
  /// The client re-entered the channel, but the events in between are unknown: fetch them.
  case gap
  /// The user is banned: the client has left the channel.
  case banned
  /// The channel was deleted: the client has left it.
  case deleted
  /// The server refused to let the client re-enter for another reason: the client has left the channel.
  case refused(ParleyError)
}
