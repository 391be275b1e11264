import Bus
import Cluster
import Configuration
import Dispatch
import Glibc
import Logging
import PostgreSQL
import Reactor
import Synchronization

/// This server in its cluster: the network, and its state as shown to operators.
final class ClusterNode: ClusterObserver {
  let network: ClusterLoop
  private let busKind: String
  private let relays: RelayCounts
  private let warnings = Mutex(ClusterWarnings())
  private let queue = DispatchQueue(label: "cluster-warnings")

  /// Joins the configured cluster under a number; ``serve(_:)`` then makes this server a home.
  ///
  /// Waits while the registry or the bus cannot be reached.
  ///
  /// - Returns: `nil` when the settings name no cluster.
  /// - Throws: An error for the operator: settings that differ from those of other servers, or a
  ///   refusal by the database.
  init?(
    _ settings: Settings, _ relays: RelayCounts, _ wait: StartWait, logger: Logger
  ) throws {
    guard let bus = settings.cluster.bus, let store = settings.store.url else { return nil }
    busKind = bus.kind
    self.relays = relays
    let options = Self.options(settings, store: store.value)
    let maker = try Self.maker(of: bus, store: store.value)
    network = try Self.join(options, maker, wait)
    watch(logger)
    logger.notice(
      "joined the cluster",
      metadata: [
        "cluster": "\(settings.cluster.name)", "server": "\(network.local.id)",
        "slot": "\(network.local.slot)", "bus": "\(busKind)",
        "deployment": "\(Self.name(ofDeployment: network.deployment))",
      ])
  }

  /// Starts passing messages from other servers to the inbox, and makes this server a home.
  func serve(_ inbox: ClusterInbox) { network.start(inbox) }

  /// Publishes reloaded settings for comparison with other servers, then logs which of those
  /// servers run with other values.
  func adopt(_ settings: Settings, _ logger: Logger) {
    guard let store = settings.store.url else { return }
    let options = Self.options(settings, store: store.value)
    network.adopt(options)
    let own = network.local.id
    queue.async { Self.compare(options, besides: own, logger) }
  }

  /// Waits a few seconds for the registry.
  private static func compare(
    _ options: ClusterOptions, besides own: ServerID, _ logger: Logger
  ) {
    do throws(PostgreSQLError) {
      for difference in try RegistryProbe.differences(options, besides: own) {
        logger.warning(
          "another server runs with another value of a setting; reload the settings there",
          metadata: ["setting": "\(difference.setting)", "server": "\(difference.server)"])
      }
    } catch {
      logger.warning(
        "the settings of other servers cannot be compared", metadata: ["reason": "\(error.message)"]
      )
    }
  }

  /// Stops this server from being a home.
  func drain() { network.drain() }

  /// Leaves the cluster; waits until the other servers can detect that.
  func leave() { network.stop() }

  /// The clock of the cluster, which is that of its database.
  var clock: DeploymentClock {
    DeploymentClock(clusterOffset: { [network] in network.clockOffset })
  }

  /// Logs changes of the bus, as long as this object exists.
  private func watch(_ logger: Logger) {
    let lines = warnings.withLock {
      $0.take(network.figures, at: SystemClock.monotonicMilliseconds)
    }
    for line in lines {
      logger.log(
        level: line.level, "\(line.text)", metadata: line.metadata.mapValues { "\($0)" })
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in self?.watch(logger) }
  }

  // MARK: Observation

  var local: ServerID { network.local.id }

  var servers: [ClusterStatus.Server] {
    let figures = network.figures
    let now = SystemClock.monotonicMilliseconds + (figures.clockOffset ?? 0)
    let present = figures.servers.map { record in
      ClusterStatus.Server(
        id: record.member.id, slot: record.member.slot, name: record.member.name,
        version: record.version, state: ClusterStatus.State(record.state),
        hearsBus: record.isOnBus, startedAt: record.startedAt,
        beatAge: max(0, now - record.beatAt), sessions: nil)
    }
    let past = figures.lostServers.map { lost in
      ClusterStatus.Server(
        id: lost.member.id, slot: lost.member.slot, name: lost.member.name,
        version: lost.version, state: .dead, hearsBus: false, startedAt: lost.startedAt,
        beatAge: max(0, now - lost.beatAt), sessions: nil,
        end: ClusterStatus.End(ending: lost.ending, time: lost.endedAt))
    }
    return present.sorted { $0.slot < $1.slot } + past
  }

  var bus: ClusterStatus.Bus {
    let figures = network.figures
    return ClusterStatus.Bus(
      kind: busKind, isUp: figures.busFault == nil, echoAge: max(0, figures.echoAge))
  }

  var counters: ClusterCounters {
    let figures = network.figures
    var counters = ClusterCounters()
    counters.linkGaps = figures.links.gaps
    counters.linkRefills = figures.links.refills
    counters.linkResets = figures.links.resets
    counters.forgedFrames = figures.traffic.forgedFrames
    counters.unreadableFrames =
      figures.traffic.malformedFrames + figures.traffic.otherVersionFrames
      + UInt64(relays[.unreadable])
    counters.foreignFrames = figures.traffic.foreignFrames
    counters.channelLoads = UInt64(relays[.loaded])
    counters.fencedWrites = UInt64(relays[.fenced])
    counters.unknownOutcomes = UInt64(relays[.unknownOutcomes])
    return counters
  }

  var unreadiness: String? {
    let figures = network.figures
    let fault = figures.busFault.map { "the bus is down: \($0)" }
    switch figures.unreadiness {
    case nil: return nil
    case .noHome: return fault ?? "not yet a home in the cluster"
    case .isolated(let reason): return fault ?? "\(reason)"
    case .alone: return "neither the bus nor the database can be reached"
    case .cannotWrite: return "the database takes no writes of this server, and those of others"
    }
  }

  func home(ofChannel url: String) -> ServerID { network.ring.home(ofChannel: url).id }

  /// The number of a deployment as the log shows it.
  static func name(ofDeployment number: UInt64) -> String { "\(ServerID(rawValue: number))" }

  // MARK: Joining

  /// The options of a server with these settings.
  static func options(_ settings: Settings, store: String) -> ClusterOptions {
    var options = ClusterOptions(
      registryURL: store, serverName: settings.cluster.serverName ?? Machine.name,
      version: Release.version)
    options.clusterName = settings.cluster.name
    options.secret = settings.cluster.secret.map { Array($0.value.utf8) }
    options.timing.beat = settings.cluster.beatMilliseconds
    options.timing.serverTimeout = settings.cluster.serverTimeoutMilliseconds
    options.timing.isolation = settings.cluster.isolationMilliseconds
    let agreement = ClusterAgreement(settings)
    options.agreement = agreement.digests
    options.shownSettings = agreement.shown
    return options
  }

  private static func join(
    _ options: ClusterOptions, _ maker: @escaping BusMaker, _ wait: StartWait
  ) throws -> ClusterLoop {
    while true {
      let network = try register(options, maker, wait)
      if try isConnected(network, wait) { return network }
      network.stop()
    }
  }

  /// Waits for the registry's first answer and for the bus.
  ///
  /// The answer contains the registry's clock and the list of servers; no other clock may be used.
  /// A server that the bus does not reach would be of no use to clients.
  ///
  /// - Returns: `false` when the others have declared this server dead meanwhile.
  private static func isConnected(_ network: ClusterLoop, _ wait: StartWait) throws -> Bool {
    while true {
      for _ in 0..<100 {
        let figures = network.figures
        guard !figures.hasLeft else { return false }
        if figures.clockOffset != nil, figures.hasHeardBus { return true }
        usleep(10_000)
      }
      let figures = network.figures
      let goesOn =
        figures.clockOffset == nil
        ? wait.wait(for: .database, "the cluster's registry answers no beat")
        : wait.wait(for: .bus, figures.busFault ?? "no beat has come back")
      guard goesOn else {
        network.stop()
        throw StartError("the start was ended")
      }
    }
  }

  private static func register(
    _ options: ClusterOptions, _ maker: @escaping BusMaker, _ wait: StartWait
  ) throws -> ClusterLoop {
    while true {
      do throws(ClusterError) {
        return try ClusterLoop(options, bus: maker)
      } catch {
        guard case .registry(let reason) = error, reason.mayRecover else {
          throw error.asFailure(ofCluster: options.clusterName)
        }
        guard wait.wait(for: .database, reason.message) else {
          throw StartError("the start was ended")
        }
      }
    }
  }

  private static func maker(of bus: BusPlace, store: String) throws -> BusMaker {
    switch bus {
    case .postgreSQL:
      return { loop, inboxes, handler in
        try PostgreSQLBus(store, listeningTo: inboxes, on: loop, handler: handler)
      }
    case .redis(let urls):
      let addresses = try urls.map { url in
        try UnusableSetting.named("cluster.bus") { try RedisAddress(url.text.value) }
      }
      return { loop, inboxes, handler in
        try RedisBus(addresses, listeningTo: inboxes, on: loop, handler: handler)
      }
    }
  }
}

extension ClusterError {
  /// The failure to join, as reported to the operator's supervisor: with wrong settings, trying
  /// again does not help.
  fileprivate func asFailure(ofCluster name: String) -> any Error {
    switch self {
    case .settingsDiffer(let differences):
      return UnusableSetting(differences.settings.joined(separator: ", "), reason: self)
    case .registry: return UnusableSetting("store.url", reason: self)
    case .full, .system: return StartError("the cluster '\(name)' cannot be joined: \(self)")
    }
  }
}

extension ClusterStatus.State {
  fileprivate init(_ state: ServerState) {
    self =
      switch state {
      case .joining: .joining
      case .live: .live
      case .draining: .draining
      case .dead: .dead
      }
  }
}
