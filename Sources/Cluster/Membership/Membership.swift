/// One server's part in the cluster: its beats, and its decisions on the members.
///
/// The registry's rows define the members, so all servers that have read the same rows have the
/// same ring. This value decides when to read and to beat, which servers to declare dead, and when
/// to leave. It starts once the server has its number. Time is passed in: ``handle(_:at:into:)`` is
/// called with ``MembershipInput/timePassed`` at ``deadline``.
package struct Membership {
  package let local: ClusterMember
  private let timing: MembershipTiming
  private let startedAt: Int64

  private var wanted: ServerState = .joining
  package private(set) var ring: ServerRing
  private var view = RegistryView(now: 0, records: [])
  /// The time at which the view was requested; the view's own time is not earlier.
  private var viewAskedAt: Int64 = 0
  private var registry: RegistryContact
  private var bus: BusContact
  private var peers: [ServerID: Peer] = [:]
  private var isolation: Isolation?
  /// The time since which neither the registry nor the bus answers.
  private var aloneSince: Int64?
  private var canWrite = true
  /// The time since which another server can write to the store, and this one cannot.
  private var worseSince: Int64?
  private var silent: Set<ServerID> = []
  /// Whether this server has left the cluster.
  package private(set) var hasLeft = false
  private var lastInput: Int64
  private var beatAt: Int64
  /// The time at which the beat of a server in the registry becomes too old.
  private var overdueAt = Int64.max
  /// Milliseconds from the steady clock to the registry's clock at the last view.
  private var registryOffset: Int64?
  /// The time before which the age of beats in the registry is meaningless, after a step of its clock.
  private var agesHoldAt = Int64.min

  /// A fault that only this server has.
  private struct Isolation {
    var reason: LeaveReason
    var since: Int64
  }

  private struct Peer {
    /// The time of the server's last beat on the bus, or the time since which the server is known.
    var heardAt: Int64
    var beat: Beat?
    /// The number of a beat that was too far ahead of the others.
    private var doubted: UInt64?
    /// The time before which the server's lock is not checked again.
    var lockExamination = Int64.min
    /// The time before which the server's beats in the registry are not checked again.
    ///
    /// Separate from that of the lock: the lock of a server that hangs is never free.
    var beatExamination = Int64.min

    init(heardAt: Int64) { self.heardAt = heardAt }

    /// The maximum distance of a beat's number from the last accepted one.
    private static let stride: UInt64 = 20

    /// Accepts a beat, unless it is a repetition, or its number jumps.
    ///
    /// A number far ahead would make all following beats look old, so it is accepted only after a
    /// second such beat, as after a time without beats.
    ///
    /// - Returns: Whether the beat is accepted.
    mutating func take(_ beat: Beat, at now: Int64) -> Bool {
      let last = self.beat?.number ?? 0
      // A repeated beat is no evidence of the present state.
      guard beat.number > last else { return false }
      guard beat.number - last <= Self.stride || continuesDoubted(beat.number) else {
        doubted = beat.number
        return false
      }
      doubted = nil
      self.beat = beat
      heardAt = now
      return true
    }

    private func continuesDoubted(_ number: UInt64) -> Bool {
      guard let doubted, number > doubted else { return false }
      return number - doubted <= Self.stride
    }

    /// The time at which the server's lock is checked because of its silence.
    func silence(_ timing: MembershipTiming) -> Int64 {
      max(heardAt + timing.silence + 1, lockExamination)
    }
  }

  package init(_ local: ClusterMember, _ timing: MembershipTiming, at now: Int64) {
    self.local = local
    self.timing = timing
    startedAt = now
    ring = ServerRing(live: [local])
    registry = RegistryContact(answerTime: timing.registryAnswer, at: now)
    bus = BusContact(echoTime: timing.echo)
    lastInput = now
    beatAt = now
  }

  /// The time of the next due work.
  package var deadline: Int64 {
    guard !hasLeft else { return .max }
    let silence = peers.values.lazy.map { [timing] in $0.silence(timing) }.min()
    return min(beatAt, overdueAt, silence ?? .max)
  }

  /// Why clients should use another server; `nil` while this one is a home, and no worse off than
  /// the others.
  ///
  /// A fault shared by all servers is no reason: clients would find nothing better elsewhere, and a load
  /// balancer without any server is useless. A server that hears neither the bus nor the registry cannot
  /// know the state of the others; after ``MembershipTiming/isolation`` it assumes that it is cut off
  /// itself. Servers reach the bus and the database again one after the other, so they are given time.
  package func unreadiness(at now: Int64) -> Unreadiness? {
    guard !hasLeft, wanted == .live,
      view.records.contains(where: { $0.member.id == local.id && $0.state == .live })
    else { return .noHome }
    if let isolation, now - isolation.since >= timing.discovery, fault(at: now) != nil {
      return .isolated(isolation.reason)
    }
    if let aloneSince, now - aloneSince >= timing.isolation { return .alone }
    guard let worseSince, now - worseSince >= timing.discovery else { return nil }
    return .cannotWrite
  }

  /// Milliseconds since this server's last beat came back from the bus; before the first, since the
  /// start: a bus that was always deaf is no better than one that has become deaf.
  package func echoAge(at now: Int64) -> Int64 { bus.echoAge(at: now) ?? now - startedAt }

  /// Whether the bus has ever carried a beat of this server.
  package var hasHeardBus: Bool { bus.hasHeard }

  /// The servers according to the registry.
  package var records: [ServerRecord] { view.records }

  /// Servers that ended within the last minutes, according to the registry.
  package var lostServers: [LostServer] { view.lost }

  /// Whether a server is this one or another one in the registry.
  package func knows(_ server: ServerID) -> Bool { server == local.id || peers[server] != nil }

  package mutating func handle(
    _ input: MembershipInput, at now: Int64, into actions: inout [MembershipAction]
  ) {
    guard !hasLeft else { return }
    if now - lastInput > timing.silence { forgive(at: now) }
    lastInput = now
    switch input {
    case .timePassed: break
    case .mayServe: want(.live, at: now)
    case .drain: want(.draining, at: now)
    case .registryAnswered(let view):
      viewAskedAt = registry.answered(at: now)
      take(view, at: now, into: &actions)
      noteIsolation(at: now)
    case .registryFailed: registry.failed()
    case .registryReconnected: registry.wasAway()
    case .store(let canWrite):
      guard canWrite != self.canWrite else { break }
      self.canWrite = canWrite
      beat(hasNews: false, at: now, into: &actions)
    case .registryChanged:
      registry.mustRead = true
      beat(hasNews: true, at: now, into: &actions)
    case .beat(let beat, let sender): take(beat, from: sender, at: now)
    case .echo(let number): bus.probeReturned(number, at: now)
    case .stranger: registry.mustRead = true
    case .busOpened:
      // Beats were lost, and the cause may also have broken the connection that holds the lock.
      registry.mustRead = true
      beat(hasNews: false, at: now, into: &actions)
    }
    guard !hasLeft else { return }
    let isWorse = !canWrite && isHeard(at: now) { $0.canWrite }
    worseSince = isWorse ? worseSince ?? now : nil
    if now >= beatAt {
      beatAt = now + timing.beat
      registry.mustRead = true
      beat(hasNews: false, at: now, into: &actions)
      checkIsolation(at: now, into: &actions)
      noteSilence(at: now, into: &actions)
    }
    if now >= overdueAt {
      overdueAt = .max
      registry.mustRead = true
    }
    guard !hasLeft else { return }
    examineLocks(at: now, into: &actions)
    if registry.startReading(at: now) {
      actions.append(.beatRegistry(state(at: now), isOnBus: bus.isHearing(at: now)))
    }
  }

  // MARK: States

  private mutating func want(_ state: ServerState, at now: Int64) {
    guard wanted != .draining else { return }
    wanted = state
    registry.mustRead = true
  }

  /// A server that has never received its own beats does not become a home.
  ///
  /// A server that is deaf while others hear is not a home until it hears again.
  private func state(at now: Int64) -> ServerState {
    guard wanted == .live else { return wanted }
    guard bus.hasHeard else { return .joining }
    let isDeaf = isolation.map { now - $0.since >= timing.isolation / 2 } ?? false
    return isDeaf ? .draining : .live
  }

  /// Leaves the cluster, giving up all homes on this server.
  private mutating func leave(
    _ reason: LeaveReason, into actions: inout [MembershipAction]
  ) {
    hasLeft = true
    actions.append(.leave(reason))
    publish(into: &actions)
  }

  /// Ignores the silence of the others while this server was stopped.
  private mutating func forgive(at now: Int64) {
    for id in peers.keys { peers[id]?.heardAt = now }
    registry.wasAway(stoppedUntil: now)
    bus.wasAway(at: now)
    isolation = nil
    aloneSince = nil
    beatAt = now
  }

  // MARK: The registry

  private mutating func take(
    _ view: RegistryView, at now: Int64, into actions: inout [MembershipAction]
  ) {
    let before = self.view.records.first { $0.member.id == local.id }?.state
    self.view = view
    guard let own = view.records.first(where: { $0.member.id == local.id }), own.state != .dead
    else { return leave(.declaredDead, into: &actions) }
    // The other servers read a new state at once.
    if own.state != before { beat(hasNews: true, at: now, into: &actions) }
    let others = view.records.filter { $0.member.id != local.id && $0.state != .dead }
    peers = Dictionary(
      uniqueKeysWithValues: others.map { other in
        (other.member.id, peers[other.member.id] ?? Peer(heardAt: now))
      })
    publish(into: &actions)
    examineBeats(of: others, in: view, at: now, into: &actions)
  }

  private mutating func publish(into actions: inout [MembershipAction]) {
    func members(_ state: ServerState) -> [ClusterMember] {
      view.records.filter { $0.state == state && !(hasLeft && $0.member.id == local.id) }
        .map(\.member)
    }
    let (live, draining) = (members(.live), members(.draining))
    let ring = ServerRing(
      live: live.isEmpty && draining.isEmpty ? [local] : live, draining: draining)
    guard ring != self.ring else { return }
    self.ring = ring
    actions.append(.ring(ring))
  }

  // MARK: The bus

  private mutating func beat(
    hasNews: Bool, at now: Int64, into actions: inout [MembershipAction]
  ) {
    let beat = Beat(
      number: bus.nextNumber(at: now), seesRegistry: registry.isInReach(at: now),
      canWrite: canWrite,
      hasNews: hasNews)
    actions.append(.broadcast(beat))
  }

  private mutating func take(_ beat: Beat, from sender: ServerID, at now: Int64) {
    guard sender != local.id else { return bus.beatReturned(beat.number, at: now) }
    guard peers[sender] != nil else {
      registry.mustRead = true
      return
    }
    let isBelieved = peers[sender]?.take(beat, at: now) ?? false
    if isBelieved, beat.hasNews { registry.mustRead = true }
  }

  private mutating func noteSilence(at now: Int64, into actions: inout [MembershipAction]) {
    let silent = Set(peers.filter { now - $0.value.heardAt > timing.echo }.keys)
    guard silent != self.silent else { return }
    self.silent = silent
    actions.append(.silence(silent))
  }

  // MARK: Deaths

  /// Checks the locks of servers that are silent on the bus.
  private mutating func examineLocks(at now: Int64, into actions: inout [MembershipAction]) {
    let silent = peers.filter { $0.value.silence(timing) <= now }.keys.sorted()
    // A deaf server does not hear the beats of live servers.
    let isHearing = bus.echoAge(at: now).map { $0 <= timing.silence } ?? false
    let isInReach = registry.hasBeenInReach(for: timing.lockTrust, at: now)
    for id in silent {
      peers[id]?.lockExamination = now + timing.beat
      if isHearing, isInReach { actions.append(.declareDead(id, .lockIsFree)) }
    }
  }

  /// Checks for servers that no longer beat in the registry, although their locks may be taken.
  private mutating func examineBeats(
    of others: [ServerRecord], in view: RegistryView, at now: Int64,
    into actions: inout [MembershipAction]
  ) {
    noteClock(of: view, at: now)
    guard now >= agesHoldAt else { return overdueAt = agesHoldAt }
    overdueAt = .max
    let isInReach = registry.hasBeenInReach(for: timing.serverTimeout, at: now)
    for other in others {
      // A beat in the future was written before the clock was set back.
      let rest = timing.serverTimeout - abs(view.now - other.beatAt)
      guard rest < 0 else {
        overdueAt = min(overdueAt, now + rest + 1)
        continue
      }
      let id = other.member.id
      guard isInReach, let peer = peers[id], now >= peer.beatExamination else { continue }
      peers[id]?.beatExamination = now + timing.beat - 1
      actions.append(.declareDead(id, .noBeat(for: timing.serverTimeout)))
    }
  }

  /// Waits until the live servers have beaten again after the registry's clock was set: by the new
  /// time, every beat is too old.
  private mutating func noteClock(of view: RegistryView, at now: Int64) {
    let offset = view.now - now
    let isStep = registryOffset.map { abs(offset - $0) > timing.serverTimeout / 2 } ?? false
    registryOffset = offset
    if isStep { agesHoldAt = now + timing.serverTimeout }
  }

  // MARK: Isolation

  private mutating func checkIsolation(at now: Int64, into actions: inout [MembershipAction]) {
    noteIsolation(at: now)
    if let isolation, now - isolation.since >= timing.isolation {
      leave(isolation.reason, into: &actions)
    }
  }

  private mutating func noteIsolation(at now: Int64) {
    let isAlone = !registry.isInReach(at: now) && !bus.isHearing(at: now)
    let losses = [registry.missingSince, bus.missingSince].compactMap(\.self)
    aloneSince = isAlone ? aloneSince ?? losses.max() ?? now : nil
    guard let fault = fault(at: now) else { return isolation = nil }
    if isolation?.reason != fault.reason {
      // A service that the others have regained after a common loss comes back here too, in a moment.
      let isNew = now - fault.missingSince <= timing.evidence
      isolation = Isolation(reason: fault.reason, since: isNew ? fault.missingSince : now)
      // The other servers learn of the fault at once.
      registry.mustRead = true
    }
  }

  /// A fault of this server that another server does not have.
  ///
  /// If all servers are alike none leaves: clients would find nothing better. The report of another
  /// server is as old as its last answer or echo, so it counts only if it came after the loss here.
  private func fault(at now: Int64) -> (reason: LeaveReason, missingSince: Int64)? {
    if !registry.isInReach(at: now) {
      let missing = registry.missingSince ?? now
      let isReached = isHeard(at: now, after: missing + timing.registryAnswer + timing.beat) {
        $0.seesRegistry
      }
      return isReached ? (.isolatedFromRegistry, missing) : nil
    }
    // A server that has never heard the bus is not a home yet, and waits for the bus.
    guard bus.hasHeard, !bus.isHearing(at: now) else { return nil }
    let missing = bus.missingSince ?? now
    let evidence = view.now - (viewAskedAt - missing) + timing.echo + timing.beat
    let isUsedByOthers = view.records.contains {
      $0.member.id != local.id && $0.isOnBus && $0.state != .dead && $0.beatAt > evidence
        && view.now - $0.beatAt <= timing.beat * 3
    }
    return isUsedByOthers ? (.isolatedFromBus, missing) : nil
  }

  /// Whether another server has recently sent a matching beat, after a certain time.
  private func isHeard(
    at now: Int64, after time: Int64 = .min, saying condition: (Beat) -> Bool
  ) -> Bool {
    peers.values.contains { peer in
      peer.beat.map(condition) == true && now - peer.heardAt <= timing.silence
        && peer.heardAt > time
    }
  }
}
