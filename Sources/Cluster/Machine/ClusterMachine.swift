/// A server's part in its cluster, without threads, descriptors and clocks: its membership and its
/// links.
///
/// Inputs append actions; ``takeActions()`` returns them in order.
package struct ClusterMachine {
  package struct Settings: Sendable {
    package var timing = MembershipTiming()
    package var limits: LinkLimits
    package var versions = LinkVersions.current
    /// The number that the servers of this deployment share.
    package var deployment: UInt64 = 0
    /// Required of all frames, if set.
    package var authentication: (any FrameAuthentication)?

    package init(limits: LinkLimits) { self.limits = limits }
  }

  package let local: ClusterMember
  private let settings: Settings
  private let codec: FrameCodec
  private var membership: Membership
  private var links: [ServerID: ServerLink] = [:]
  /// The servers to which data was sent in this turn, the first one first.
  private var addressees: [ServerID] = []
  /// The resets of each link.
  private var resetCounts: [ServerID: Int] = [:]
  private var actions: [ClusterAction] = []
  private var traffic = ClusterTraffic()
  /// The counts of links to servers that have ended.
  private var pastLinks = LinkCounters()
  // Reused.
  private var linkActions: [LinkAction] = []
  private var membershipActions: [MembershipAction] = []

  /// - Parameter local: This server with its number, as stored in the registry.
  package init(_ local: ClusterMember, _ settings: Settings, at now: Int64) {
    self.local = local
    self.settings = settings
    codec = FrameCodec(
      deployment: settings.deployment, versions: settings.versions,
      authentication: settings.authentication)
    membership = Membership(local, settings.timing, at: now)
  }

  package var ring: ServerRing { membership.ring }

  /// The time of the next ``endTurn(at:)`` without further events.
  package var deadline: Int64 {
    var next = membership.deadline
    for link in links.values {
      if let deadline = link.deadline { next = min(next, deadline) }
    }
    return next
  }

  /// Queues a message, which is sent at the end of the turn.
  ///
  /// - Parameter resetCount: See ``ClusterNetwork/enqueue(_:to:knowing:)``; `nil` for a sender to
  ///   which resets do not matter.
  package mutating func send(
    _ message: [UInt8], to server: ServerID, knowing resetCount: Int? = nil, at now: Int64
  ) {
    if let resetCount, resetCount != resetCounts[server] { return }
    links[server]?.send(message, at: now, into: &linkActions)
    carryOut(linkTo: server)
    if !addressees.contains(server) { addressees.append(server) }
  }

  /// Takes bytes from the bus.
  package mutating func receive(_ bytes: [UInt8], at now: Int64) {
    traffic.receivedFrames += 1
    traffic.receivedBytes += UInt64(bytes.count)
    let frame: Frame
    do throws(FrameError) {
      frame = try codec.decode(bytes)
    } catch {
      return traffic.note(error)
    }
    guard frame.receiver == nil || frame.receiver == local.id else {
      // For an earlier start of this server.
      traffic.misdirectedFrames += 1
      return
    }
    let sender = frame.sender
    switch frame.content {
    case .beat(let beat):
      if frame.receiver == nil {
        if !membership.knows(sender) { traffic.strangeBeats += 1 }
        handle(.beat(beat, from: sender), at: now)
      } else if sender == local.id {
        handle(.echo(beat.number), at: now)
      }
    case .greeting(let numbers, let versions):
      guard links[sender] != nil else { return handle(.stranger, at: now) }
      links[sender]?.receive(greeting: numbers, versions, at: now, into: &linkActions)
      carryOut(linkTo: sender)
    case .data(let numbers, let version, let data):
      guard links[sender] != nil else { return handle(.stranger, at: now) }
      links[sender]?.receive(data, numbers, version: version, at: now, into: &linkActions)
      carryOut(linkTo: sender)
    }
  }

  /// Handles an input of the membership.
  package mutating func handle(_ input: MembershipInput, at now: Int64) {
    membership.handle(input, at: now, into: &membershipActions)
    for action in membershipActions {
      switch action {
      case .beatRegistry(let state, let isOnBus):
        actions.append(.beatRegistry(state, isOnBus: isOnBus))
      case .declareDead(let id, let evidence): actions.append(.declareDead(id, evidence))
      case .broadcast(let beat): broadcast(beat)
      case .ring(let ring): take(ring, at: now)
      case .silence(let servers): actions.append(.silence(servers))
      case .leave(let reason): actions.append(.leave(reason))
      }
    }
    membershipActions.removeAll(keepingCapacity: true)
  }

  /// Sends the queued data, and performs due work.
  package mutating func endTurn(at now: Int64) {
    if membership.deadline <= now { handle(.timePassed, at: now) }
    for server in addressees { flush(linkTo: server, at: now) }
    addressees.removeAll(keepingCapacity: true)
    // In the ring's order, so that a simulation runs the same way in each process.
    for member in ring.members { flush(linkTo: member.id, at: now) }
  }

  private mutating func flush(linkTo peer: ServerID, at now: Int64) {
    guard let deadline = links[peer]?.deadline, deadline <= now else { return }
    links[peer]?.flush(at: now, into: &linkActions)
    carryOut(linkTo: peer)
  }

  package mutating func takeActions() -> [ClusterAction] {
    defer { actions = [] }
    return actions
  }

  /// The counts and states that operators see.
  package func figures(at now: Int64) -> ClusterFigures {
    var figures = ClusterFigures(traffic: traffic, links: pastLinks)
    for link in links.values {
      figures.links += link.counters
      figures.keptBytes += link.keptByteCount
      figures.openLinks += link.isOpen ? 1 : 0
    }
    figures.servers = membership.records
    figures.lostServers = membership.lostServers
    figures.echoAge = membership.echoAge(at: now)
    figures.hasHeardBus = membership.hasHeardBus
    figures.hasLeft = membership.hasLeft
    figures.unreadiness = membership.unreadiness(at: now)
    return figures
  }

  private mutating func take(_ ring: ServerRing, at now: Int64) {
    actions.append(.ring(ring))
    for peer in links.keys where ring.member(peer) == nil {
      if let link = links.removeValue(forKey: peer) { pastLinks += link.counters }
      resetCounts[peer] = nil
    }
    for member in ring.members where member.id != local.id && links[member.id] == nil {
      links[member.id] = ServerLink(
        from: local.id, to: member.id, limits: settings.limits, versions: settings.versions,
        at: now)
      resetCounts[member.id] = 0
      actions.append(.reset(member.id, nil, count: 0))
    }
  }

  private mutating func broadcast(_ beat: Beat) {
    transmit(Frame(sender: local.id, receiver: nil, .beat(beat)))
    transmit(Frame(sender: local.id, receiver: local.id, .beat(beat)))
  }

  private mutating func transmit(_ frame: Frame) {
    let bytes = codec.encode(frame)
    traffic.sentFrames += 1
    traffic.sentBytes += UInt64(bytes.count)
    actions.append(.transmit(bytes, to: frame.receiver))
  }

  private mutating func carryOut(linkTo peer: ServerID) {
    for action in linkActions {
      switch action {
      case .transmit(let frame): transmit(frame)
      case .deliver(let message): actions.append(.deliver(message, from: peer))
      case .reset(let reason):
        let count = (resetCounts[peer] ?? 0) + 1
        resetCounts[peer] = count
        actions.append(.reset(peer, reason, count: count))
      }
    }
    linkActions.removeAll(keepingCapacity: true)
  }
}

/// The consequences of an input to a ``ClusterMachine``, in order.
package enum ClusterAction: Sendable, Equatable {
  /// Send bytes to a server's inbox, or to the inbox of all servers.
  case transmit([UInt8], to: ServerID?)
  case deliver([UInt8], from: ServerID)
  /// A link was reset, or is new; with the number of its resets so far.
  case reset(ServerID, LinkResetReason?, count: Int)
  case ring(ServerRing)
  /// These servers, and no others, are silent on the bus.
  case silence(Set<ServerID>)
  case beatRegistry(ServerState, isOnBus: Bool)
  case declareDead(ServerID, DeathEvidence)
  case leave(LeaveReason)
}
