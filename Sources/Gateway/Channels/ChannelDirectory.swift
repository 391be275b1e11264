import Channels
import FloodControl
import ParleyProtocol
import Reactor
import Store
import Telemetry

/// The channels that are at home on a shard and in its memory.
///
/// A channel is read from the store when it is first used, and forgotten after it has been without
/// participants and work for a while.
final class ChannelDirectory: TimerHandler {
  typealias Waiter = (Result<ChannelHost, ServiceError>) -> Void

  /// The callers waiting for a channel that is being read; a class, so that adding one copies nothing.
  private final class Loading {
    var waiters: [Waiter]

    init(_ first: @escaping Waiter) { waiters = [first] }
  }

  private enum Entry {
    case loading(Loading)
    case resident(ChannelHost)
  }

  /// The interval between sweeps for idle channels.
  private static let sweepInterval: Int64 = 30_000

  private unowned let shard: Shard
  private var entries: [String: Entry] = [:]
  /// The channels that are in memory or wait for the log, by number.
  private var numbered: [UInt64: ChannelHost] = [:]
  private var lastNumber: UInt64 = 0
  private var givenUp = HomeKnowledge()
  private var reports = StageReports()
  private var stagesInTurn: [StageHost] = []
  /// The stages whose turn is being ended; both arrays keep their memory.
  private var stagesAtEnd: [StageHost] = []
  private var channelsInTurn: [ChannelHost] = []
  private var sweepTimer: EventLoop.TimerToken?
  private var idleBudget = IdleChannelBudget()

  init(shard: Shard) {
    self.shard = shard
  }

  /// Returns a channel that is at home here and in memory, and notes the use, which keeps it there.
  func used(_ url: String) -> ChannelHost? {
    guard isAtHome(url), case .resident(let channel) = entries[url] else { return nil }
    channel.noteUse()
    return channel
  }

  /// Calls `body` with a channel: at once if it is in memory, otherwise after it was read.
  ///
  /// Fails with ``ServiceError/moved`` for a channel that is at home on another server.
  func withChannel(_ url: String, _ body: @escaping Waiter) {
    guard isAtHome(url) else { return body(.failure(.moved)) }
    switch entries[url] {
    case .resident(let channel):
      channel.noteUse()
      body(.success(channel))
    case .loading(let loading): loading.waiters.append(body)
    case nil:
      entries[url] = .loading(Loading(body))
      load(url)
    }
  }

  /// Calls `body` with a channel that is in memory, or is being read, in the order of the calls.
  func withKnownChannel(_ url: String, _ body: @escaping (ChannelHost) -> Void) {
    switch entries[url] {
    case .resident(let channel): body(channel)
    case .loading(let loading):
      loading.waiters.append { if case .success(let channel) = $0 { body(channel) } }
    case nil: break
    }
  }

  /// Calls `body` with a channel that is in memory, after it was read if it is being read; `nil` for
  /// another channel.
  func whenLoaded(_ url: String, _ body: @escaping (ChannelHost?) -> Void) {
    switch entries[url] {
    case .resident(let channel): body(channel)
    case .loading(let loading): loading.waiters.append { body(try? $0.get()) }
    case nil: body(nil)
    }
  }

  /// Returns a channel if it is in memory; this does not count as a use that keeps it there.
  func resident(_ url: String) -> ChannelHost? {
    guard case .resident(let channel) = entries[url] else { return nil }
    return channel
  }

  /// Adds a channel that was just created.
  func insert(_ state: ChannelState) {
    guard entries[state.channel.url] == nil else { return }
    settle(state.channel.url, .success(LoadedChannel(state: state, time: shard.services.now)))
  }

  /// Forgets a channel that was deleted.
  func remove(_ channel: ChannelHost) {
    guard case .resident(let resident) = entries[channel.url], resident === channel else { return }
    entries[channel.url] = nil
    forgetIfSettled(channel)
    channel.endCounting()
  }

  /// Passes each of the log's answers to the channel that requested it.
  func receive(_ answers: [LogAnswer]) {
    for answer in answers { numbered[answer.ticket.origin]?.receive(answer) }
  }

  /// Applies the current limits to all channels.
  func renewLimits() {
    for case .resident(let channel) in entries.values { channel.renewLimits() }
  }

  /// Releases all waiting sends.
  func endWaiting() {
    for case .resident(let channel) in Array(entries.values) {
      channel.handle(JudgeInput.endWaiting(.drain))
    }
  }

  /// Ends the turn of a stage when the shard's turn ends.
  func awaitsEndOfTurn(_ stage: StageHost) {
    stagesInTurn.append(stage)
  }

  /// Sends a channel's news to stages on other servers when the shard's turn ends.
  func awaitsEndOfTurn(_ channel: ChannelHost) {
    channelsInTurn.append(channel)
  }

  /// Sends the events of all channels to the shards of their participants.
  func fanOut() {
    if !stagesInTurn.isEmpty {
      swap(&stagesInTurn, &stagesAtEnd)
      for stage in stagesAtEnd { stage.endTurn() }
      stagesAtEnd.removeAll(keepingCapacity: stagesAtEnd.count < 1_024)
    }
    if !channelsInTurn.isEmpty {
      let channels = channelsInTurn
      channelsInTurn = []
      for channel in channels { channel.endTurn() }
    }
    // At the end of a turn, no caller is still going to use a channel that it just looked up.
    if idleBudget.isDue { forgetExcess() }
  }

  /// Forgets idle channels beyond the budget.
  private func forgetExcess() {
    let idle = entries.values.compactMap { entry in
      if case .resident(let channel) = entry { channel.idle } else { nil }
    }
    for number in idleBudget.takeExcess(of: idle) {
      if let channel = numbered[number] { remove(channel) }
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    sweepTimer = nil
    let now = shard.loop.now
    for channel in numbered.values {
      if resident(channel.url) !== channel {
        forgetIfSettled(channel)
      } else if channel.isIdle(at: now) {
        remove(channel)
      }
    }
    givenUp.removeOldFences(at: now)
    scheduleSweep()
  }

  /// Forgets a channel that is no longer resident, once all its requests are answered.
  private func forgetIfSettled(_ channel: ChannelHost) {
    guard channel.isSettled else { return }
    numbered[channel.number] = nil
    channel.close()
  }

  private func load(_ url: String) {
    let directory = LoopBound(self)
    let path = shard.returnPath
    if shard.edge != nil || givenUp.event(of: url) != nil { return takeOver(url) }
    let (limits, now) = (shard.services.limits, shard.services.now)
    LoadedChannel.read(url, from: shard.services.store, limits, at: now) { result in
      path.resume { _ in directory.value.settle(url, result) }
    }
  }

  private func settle(_ url: String, _ result: Result<LoadedChannel?, ServiceError>) {
    var waiters: [Waiter] = []
    if case .loading(let loading) = entries[url] { waiters = loading.waiters }
    entries[url] = nil
    if case .success = result { givenUp.forgetEvent(of: url) }
    let outcome = result.flatMap { loaded -> Result<ChannelHost, ServiceError> in
      guard let loaded else {
        _ = reports.takeExpected(url)
        return .failure(.notFound(.channel, url))
      }
      // Another home that has followed meanwhile is not sent back here.
      guard shard.homeServer(ofChannel: url) == shard.services.server else {
        return .failure(.moved)
      }
      return .success(reside(loaded))
    }
    for waiter in waiters { waiter(outcome) }
  }

  private func reside(_ loaded: LoadedChannel) -> ChannelHost {
    lastNumber += 1
    let channel = ChannelHost(loaded, number: lastNumber, shard: shard)
    idleBudget.noteLoaded(byteCount: loaded.byteCount)
    numbered[lastNumber] = channel
    channel.open()
    entries[channel.url] = .resident(channel)
    channel.searchMembers()
    channel.beginCounting()
    scheduleSweep()
    return channel
  }

  /// Makes this server the only writer of a channel, and reads the channel.
  private func takeOver(_ url: String) {
    let directory = LoopBound(self)
    let path = shard.returnPath
    let services = shard.services
    let reply = LogReply { answer in
      // The previous home may have accepted sends until the log answered; only now it accepts none.
      LoadedChannel.read(
        answer.result, from: services.store, services.limits, at: services.now
      ) { result in
        // Ids increase across all homes that the channel has had.
        services.store.perform(LargestMessageID()) { largest in
          if case .success(let id) = largest { services.messageIDs.advance(past: id) }
          let result = result.flatMap { loaded in largest.serviceResult.map { _ in loaded } }
          path.enqueue { _ in directory.value.settle(url, result) }
        }
      }
    }
    shard.services.relayCounts.add(to: .loaded)
    let renewal = givenUp.event(of: url).map {
      EpochRenewal(epoch: $0.epoch, seq: $0.seq, next: Identifiers.epoch())
    }
    shard.writes.submit(
      LogSubmission(LogTicket(number: 0), .takeOver(url: url, renewal: renewal)), to: reply)
  }

  private func scheduleSweep() {
    guard sweepTimer == nil, !numbered.isEmpty else { return }
    sweepTimer = shard.loop.schedule(after: Self.sweepInterval, self)
  }
}

// MARK: - Several servers

extension ChannelDirectory {
  /// Whether a channel is at home on this server.
  private func isAtHome(_ url: String) -> Bool {
    guard shard.edge != nil else { return true }
    guard shard.homeServer(ofChannel: url) == shard.services.server else { return false }
    return !givenUp.isFenced(url, at: shard.loop.now)
  }

  /// The stage of a channel on this server, if there is one.
  func stage(_ url: String) -> StageHost? { shard.stages[url] ?? resident(url)?.stage }

  /// Gives up channels that are at home on other servers now, and attaches stages to the new homes.
  func homesDidChange() {
    let server = shard.services.server
    for case .resident(let channel) in Array(entries.values)
    where shard.homeServer(ofChannel: channel.url) != server {
      channel.release()
      remove(channel)
    }
    reports.keepExpected { shard.homeServer(ofChannel: $0) == server }
    givenUp.keepEvents { shard.homeServer(ofChannel: $0) == server }
    shard.stages.followHomes()
    shard.markStages(for: shard.edge?.routes.otherServers ?? [])
    renewGatherings()
  }

  /// Repairs the effects of messages lost between this server and another.
  func linkWasReset(with server: UInt16) {
    shard.stages.attachAnew(to: server)
    shard.markStages(for: [server])
    for case .resident(let channel) in entries.values { channel.linkWasReset(with: server) }
  }

  /// The servers that may have users of a channel whose home is being created here.
  func awaited(_ url: String) -> Set<UInt16> {
    guard let edge = shard.edge else { return [] }
    let ring = edge.routes.ring.number
    var servers = reports.takeExpected(url)
    servers.formUnion(edge.routes.otherServers.filter { !reports.isComplete($0, ring: ring) })
    if shard.stages[url] != nil { servers.insert(shard.services.server) }
    return servers
  }

  /// Notes that stages of these servers are expected to attach to a channel.
  func expect(_ servers: Set<UInt16>, of url: String) {
    if resident(url)?.isReleased != false { reports.expect(servers, of: url) }
  }

  func stopExpecting(_ server: UInt16, of url: String) {
    reports.stopExpecting(server, of: url)
  }

  func take(_ mark: StagesMark) {
    reports.take(mark)
    renewGatherings()
  }

  /// Ends the wait of new homes for servers whose stages have all been reported.
  private func renewGatherings() {
    guard let edge = shard.edge else { return }
    let ring = edge.routes.ring.number
    let complete = edge.routes.otherServers.filter { reports.isComplete($0, ring: ring) }
    for case .resident(let channel) in Array(entries.values) where channel.isGathering {
      for server in complete { channel.stopAwaiting(server) }
    }
  }

  /// Forgets the users of a server that is gone.
  func serverIsGone(_ server: UInt16) {
    reports.remove(server)
    // In a channel that is being read, this follows everything that the server has reported.
    for url in entries.keys { withKnownChannel(url) { $0.remove(server: server) } }
  }

  /// Stops using a channel for a while after another server has taken it over.
  func noteFence(of url: String) {
    shard.services.relayCounts.add(to: .fenced)
    givenUp.fence(url, at: shard.loop.now)
  }

  /// Gives up a channel whose log may have lost a known event.
  ///
  /// The channel is read again, and gets another epoch if the event is lost.
  func giveUp(_ channel: ChannelHost, knowing event: KnownEvent) {
    noteEvent(event, of: channel.url)
    channel.release()
    remove(channel)
  }

  /// Notes an event that the log of a channel being given up should contain.
  ///
  /// Nothing is kept for a channel at home elsewhere: its stages report what they know to that home.
  func noteEvent(_ event: KnownEvent, of url: String) {
    guard shard.homeServer(ofChannel: url) == shard.services.server else { return }
    givenUp.note(event, of: url)
  }

  /// The number of channels that were given up and have a known event.
  var knownEventCount: Int { givenUp.eventCount }

  /// The last events of the channels in memory, by row number.
  var lastEvents: [Int64: KnownEvent] {
    Dictionary(
      uniqueKeysWithValues: entries.values.compactMap { entry in
        if case .resident(let channel) = entry {
          (channel.place.id, channel.lastEvent)
        } else {
          nil
        }
      })
  }
}
