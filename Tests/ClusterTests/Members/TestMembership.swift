import Cluster

/// A membership with the registry and the bus played by the test.
struct TestMembership {
  private(set) var membership: Membership
  private(set) var now: Int64 = 0
  /// The registry's rows, the server's own first.
  var rows: [ServerRecord]
  private var beats: [Int: UInt64] = [:]
  private var lastBeat: UInt64 = 0
  private(set) var beatCount = 0

  /// The states that were to be written.
  private(set) var written: [ServerState] = []
  private(set) var declared: [MembershipAction] = []
  private(set) var silent: Set<ServerID> = []
  private(set) var leaves: [LeaveReason] = []
  /// Whether the registry has a question to answer.
  private(set) var isAsked = false
  var newsCount = 0

  init(peers: Int = 0) {
    rows = (0...peers).map { number in
      ServerRecord(
        member: ClusterMember(
          id: ServerID(rawValue: UInt64(number) + 1), slot: UInt16(number), name: "s\(number)"),
        version: "1", state: number == 0 ? .joining : .live, isOnBus: true,
        startedAt: 0, beatAt: 1_000_000)
    }
    membership = Membership(rows[0].member, MembershipTiming(), at: 0)
  }

  /// The registry's clock.
  var registryTime: Int64 { now + 1_000_000 + stepped }
  /// The milliseconds by which the registry's clock was set forward.
  var stepped: Int64 = 0

  mutating func handle(_ input: MembershipInput) {
    var actions: [MembershipAction] = []
    membership.handle(input, at: now, into: &actions)
    for action in actions {
      switch action {
      case .beatRegistry(let state, _):
        written.append(state)
        isAsked = true
      case .declareDead: declared.append(action)
      case .broadcast(let beat):
        lastBeat = beat.number
        beatCount += 1
        newsCount += beat.hasNews ? 1 : 0
      case .ring: break
      case .silence(let servers): silent = servers
      case .leave(let reason): leaves.append(reason)
      }
    }
  }

  /// Writes the rows of the others that are due, each half a second.
  mutating func writePeers(_ hear: () -> Bool) {
    for index in rows.indices.dropFirst() where (registryTime + Int64(index) * 100) % 500 == 0 {
      rows[index].beatAt = registryTime
      rows[index].isOnBus = hear()
    }
  }

  /// Lets the registry answer with its rows.
  mutating func answer() {
    isAsked = false
    if !rows.isEmpty, rows[0].member == membership.local {
      rows[0].state = written.last ?? .joining
      rows[0].beatAt = registryTime
    }
    handle(.registryAnswered(RegistryView(now: registryTime, records: rows)))
  }

  /// Lets the server hear its last beat.
  mutating func echo() {
    handle(.beat(Beat(number: lastBeat, seesRegistry: true), from: membership.local.id))
    handle(.echo(lastBeat))
  }

  mutating func beat(
    of peer: Int, number: UInt64? = nil, seesRegistry: Bool = true, canWrite: Bool = true,
    hasNews: Bool = false
  ) {
    beats[peer, default: 1] += 1
    handle(
      .beat(
        Beat(
          number: number ?? beats[peer, default: 1], seesRegistry: seesRegistry,
          canWrite: canWrite, hasNews: hasNews),
        from: rows[peer].member.id))
  }

  mutating func pass(_ time: Int64) {
    now += time
    handle(.timePassed)
  }

  /// Makes the server live.
  mutating func settle() {
    handle(.mayServe)
    echo()
    answer()
    pass(500)
    answer()
    echo()
    answer()
  }

  /// Lets time pass in which the registry is well, and the bus carries nothing.
  mutating func passWithoutBeats(_ time: Int64) {
    pass(time)
    for index in rows.indices { rows[index].beatAt = registryTime }
    answer()
  }

  /// Lets time pass in which all is well with the registry, this server, and some peers.
  mutating func passWithBeats(_ time: Int64, of peers: [Int]) {
    for _ in 0..<(time / 500) {
      pass(500)
      echo()
      for peer in peers { beat(of: peer) }
      for index in rows.indices { rows[index].beatAt = registryTime }
      answer()
    }
  }
}
