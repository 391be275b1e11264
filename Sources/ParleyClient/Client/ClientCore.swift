internal import ClientTransport
internal import ParleyProtocol

/// The shared core of a client and its channels: the engine and the consumers of events.
final class ClientCore: Sendable {
  let channels = ChannelRegistry()
  let delegates = DelegateRegistry()
  let streams: EventStreams
  let callbacks: CallbackQueue
  let requestIDs = RequestIDs()
  let files = FileSendings()
  let fileKeys: FileKeys
  let arrivals: GroupArrivals
  let deliveryMarks = DeliveryMarks()
  let engineConfiguration: EngineConfiguration
  /// The time without progress after which an upload fails.
  let uploadPatience: Duration
  /// The lane for the session and requests; `nil` for the platform's.
  let lane: (any Lane)?
  private let engine: Engine
  private let session = Locked(SessionView())

  init(_ configuration: ParleyClientConfiguration, on lane: (any Lane)? = nil) {
    let limit = configuration.maximumBufferedEvents
    streams = EventStreams(limit: limit)
    callbacks = CallbackQueue(delegates, limit: limit)
    arrivals = GroupArrivals(limit: limit)
    let inlet = EventInlet()
    engineConfiguration = configuration.engineConfiguration
    fileKeys = FileKeys(serverURL: engineConfiguration.serverURL)
    uploadPatience = configuration.uploadTimeout
    self.lane = lane
    engine = Engine(engineConfiguration, on: lane) { inlet.take($0) }
    inlet.connect(to: self)
  }

  var messageCalls: MessageCalls {
    MessageCalls(reader: reader) { [channels] message, seq in
      channels.known(message.channelURL)?.state.note(message, seq: seq)
    }
  }

  var reader: MessageReader { MessageReader(fileKeys: fileKeys) }

  var currentUser: User? { session.withLock { $0.user } }

  var features: ServerFeatures? { session.withLock { $0.features } }

  var connectionState: ConnectionState { session.withLock { $0.state } }

  /// Whether the connection receives every event of the user's groups.
  var hasGroupEvents: Bool { session.withLock { $0.hasGroupEvents } }

  /// Identifies the time for which ``hasGroupEvents`` has its value.
  var groupCoverage: Int { session.withLock { $0.groupCoverage } }

  /// See ``ParleyClient/groupChangesToken``.
  var groupChangesToken: String? { session.withLock { $0.groupChangesToken } }

  /// Whether the application wants the numbers over all groups.
  var watchesTotals: Bool {
    get { session.withLock { $0.watchesTotals } }
    set { session.withLock { $0.watchesTotals = newValue } }
  }

  /// Reads or changes the state of the session.
  func updateSession<Value: Sendable>(_ body: (inout SessionView) -> Value) -> Value {
    session.withLock { body(&$0) }
  }

  private func didReceiveGroupsReady(_ token: String) {
    session.withLock {
      $0.hasGroupEvents = true
      $0.groupChangesToken = token
      $0.groupListToken = token
    }
  }

  /// See ``SessionView/groupReadiness()``.
  func groupReadiness() -> AsyncStream<Void>? { session.withLock { $0.groupReadiness() } }

  /// Begins a list of groups.
  func groupListing() -> GroupListing {
    GroupListing(since: session.withLock { $0.groupListToken })
  }

  /// Records that lists which begin from now on have the changes before a token.
  func didReadGroupChanges(upTo token: String) {
    session.withLock { $0.groupListToken = token }
  }

  /// Starts a call and calls back.
  ///
  /// - Parameter handle: The handle for cancelling the call; see ``giveUp(_:)``.
  func start<Value: Sendable>(
    _ call: Call<Value>, _ handle: CallHandle = CallHandle(),
    completion: @escaping @Sendable (Result<Value, ParleyError>) -> Void
  ) {
    let id = engine.call(call.request) { [callbacks] answer in
      let outcome = call.outcome(answer)
      callbacks.run { completion(outcome) }
    }
    if handle.begin(id) == .cancelled { engine.cancel(id) }
  }

  /// Makes a call and waits; cancelling the task cancels the call.
  ///
  /// - Parameter handle: Another way to cancel the call; see ``giveUp(_:)``.
  func perform<Value: Sendable>(
    _ call: Call<Value>, _ handle: CallHandle = CallHandle()
  ) async throws(ParleyError) -> Value {
    try await outcome(of: handle) { engine, waiter in
      engine.call(call.request) { waiter.resume(returning: call.outcome($0)) }
    }
  }

  /// Makes a call and waits; cancelling the task cancels the call unless it was sent.
  ///
  /// A call that was sent may take effect, and its caller must receive the outcome.
  func performOnceSent<Value: Sendable>(
    _ call: Call<Value>
  ) async throws(ParleyError) -> Value {
    try await outcome(givingUpBy: { $0.withdraw($1) }) { engine, waiter in
      engine.call(call.request) { waiter.resume(returning: call.outcome($0)) }
    }
  }

  /// Cancels a call, which then ends with ``ParleyError/cancelled`` unless it has already ended.
  func giveUp(_ handle: CallHandle) {
    if let id = handle.cancel() { engine.cancel(id) }
  }

  /// Opens a session and calls back on the engine's thread.
  @discardableResult
  func open(
    _ credentials: SessionCredentials,
    completion: @escaping @Sendable (Result<User, ParleyError>) -> Void
  ) -> EngineCallID {
    engine.open(credentials) { [weak self] answer in
      let outcome = SessionCalls.opened.outcome(answer)
      switch (answer, outcome) {
      case (.success, .failure): self?.giveUpSession { completion(outcome) }
      case (_, .success(let user)):
        self?.didOpen(user)
        completion(outcome)
      case (.failure, .failure): completion(outcome)
      }
    }
  }

  /// Closes a session that the caller cannot know of, because the response could not be parsed.
  private func giveUpSession(then completion: @escaping @Sendable () -> Void) {
    engine.close(completion: completion)
  }

  /// Opens a session and waits; cancelling the task cancels the attempt.
  func open(_ credentials: SessionCredentials) async throws(ParleyError) -> User {
    try await outcome { _, waiter in open(credentials) { waiter.resume(returning: $0) } }
  }

  func refresh(accessToken: String) async throws(ParleyError) {
    try await outcome { engine, waiter in
      engine.refresh(accessToken: accessToken) { waiter.resume(returning: $0.map { _ in }) }
    }
  }

  /// Waits for the operation that `begin` starts, and cancels it when the task is cancelled.
  private func outcome<Value: Sendable>(
    of handle: CallHandle = CallHandle(),
    givingUpBy giveUp: @escaping @Sendable (Engine, EngineCallID) -> Void = { $0.cancel($1) },
    _ begin: (Engine, Waiter<Value>) -> EngineCallID
  ) async throws(ParleyError) -> Value {
    // A call cancelled before it was written could still be written until the cancellation is processed.
    guard !Task.isCancelled else { throw .cancelled }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter<Value>) in
        let id = begin(engine, waiter)
        if handle.begin(id) == .cancelled { giveUp(engine, id) }
      }
    } onCancel: {
      if let id = handle.cancel() { giveUp(engine, id) }
    }
    return try outcome.get()
  }

  func close() async {
    files.cancelAll()
    await withCheckedContinuation { waiter in
      engine.close { waiter.resume() }
    }
  }

  /// Shuts down after the last reference to the client was released.
  func shutDown() {
    files.cancelAll()
    engine.close {}
    channels.exitAll()
    streams.end()
  }

  func keep(_ user: User) {
    session.withLock { $0.user = user }
  }

  /// Returns the channel's only object, updated from the snapshot.
  func channel(_ snapshot: ChannelSnapshot) -> OpenChannel {
    let channel = channels.channel(snapshot.url) { OpenChannel(snapshot, self) }
    channel.state.apply(.replaced(snapshot))
    return channel
  }

  private func openChannel(_ url: String) -> OpenChannel? {
    channels.known(url) as? OpenChannel
  }

  private func didOpen(_ user: User) {
    session.withLock {
      if $0.user?.userID != user.userID { ($0.groupChangesToken, $0.groupListToken) = (nil, nil) }
      $0.user = user
      $0.state = .connected
    }
  }

  /// Receives an event of the engine, on the engine's thread.
  func receive(_ event: EngineEvent) {
    switch event {
    case .notification(let method, let params): receive(method, params)
    case .entered(let url): if let channel = openChannel(url) { channels.enter(channel) }
    case .left(let url): channels.exit(url)
    case .recovered(let url, let missed): tell(url, .recovered(eventCount: missed))
    case .recoveryFailed(let url, let reason): didFailToRecover(url, EventLoss(reason))
    case .fileKeyChanged(let key): fileKeys.keep(key)
    case .featuresChanged(let features):
      fileKeys.trust(base: features.files?.base)
      session.withLock {
        $0.features = features
        if features.groups == nil { $0.endGroupWaits() }
      }
    case .stateChanged(let state): didChange(state)
    }
  }

  private func receive(_ method: String, _ params: JSONNode?) {
    // Malformed events are ignored, as unknown ones are: there is no caller to report them to.
    guard let incoming = try? Incoming(method: method, params: params, reader) else { return }
    let notification = WireEvent.Notification(method: method, params: params)
    switch incoming {
    case .connection(let event):
      if case .fileKeyRenewed(let key) = event { fileKeys.keep(key) }
      tell(.connection(event), notification)
    case .mentioned(let message): tell(.mentioned(message), notification)
    case .totals(let totals): tell(.unreadTotalsChanged(totals), notification)
    case .groupsReady(let token):
      let earlier = groupChangesToken
      didReceiveGroupsReady(token)
      recoverGroups(changedSince: earlier)
      if watchesTotals { watchTotalsAgain() }
    case .channel(let url, let event, let change):
      guard let channel = channels.known(url) as? OpenChannel else {
        guard let event = GroupChannelEvent(event) else { return }
        return receive(GroupArrivals.Event(event, change, params, notification), ofGroup: url)
      }
      if let change { channel.state.apply(change) }
      leave(channel, if: event)
      tell(.channel(channel, event), notification)
    case .group(let url, let event, let change):
      receive(GroupArrivals.Event(event, change, params, notification), ofGroup: url)
    }
  }

  /// Requests the numbers over all groups on a new connection; the next one does so if this one fails.
  private func watchTotalsAgain() {
    Task { [self] in
      try? await performPatiently(GroupCalls.watchTotals(true), waiting: \.pauseOfCalls)
    }
  }

  private func leave(_ channel: OpenChannel, if event: OpenChannelEvent) {
    if case .deleted = event { channels.exit(channel.url) }
    if case .userBanned(let user, _) = event, user.userID == currentUser?.userID {
      channels.exit(channel.url)
    }
  }

  private func didFailToRecover(_ url: String, _ loss: EventLoss) {
    guard let channel = openChannel(url) else { return }
    if !loss.isInChannel { channels.exit(url) }
    tell(.channel(channel, .eventsLost(loss)))
  }

  private func didChange(_ state: ConnectionState) {
    if state != .connected { loseGroupEvents() }
    if case .disconnected = state {
      channels.exitAll()
      deliveryMarks.forget()
    }
    if let event = session.withLock({ $0.change(to: state) }) { tell(.connection(event)) }
    if state == .connected { reportBackground() }
  }

  private func tell(_ url: String, _ event: OpenChannelEvent) {
    guard let channel = openChannel(url) else { return }
    tell(.channel(channel, event))
  }

  func tell(_ event: ParleyEvent, _ notification: WireEvent.Notification? = nil) {
    streams.push(event, notification)
    callbacks.push(event)
  }
}

private typealias Waiter<Value: Sendable> = CheckedContinuation<Result<Value, ParleyError>, Never>

/// Forwards an engine's events to its client without retaining the client.
final class EventInlet: Sendable {
  private let core = Locked<Weak<ClientCore>?>(nil)

  func connect(to core: ClientCore) {
    self.core.withLock { $0 = Weak(core) }
  }

  func take(_ event: EngineEvent) {
    core.withLock { $0?.value }?.receive(event)
  }
}
