package import Configuration
import Crypto
import HTTP
package import Logging
import Reactor
import Store
import Synchronization
import Streams
import Telemetry
import Hooks
import ParleyProtocol
import PushDelivery
import Transport
import Translator
import Unfurler
import Webhooks

/// The gateway in one process: its shards, its store and its previews.
package final class Gateway: Sendable {
  /// The addresses on which the gateway listens, as bound.
  package let addresses: [BoundAddress]

  private let services: GatewayServices
  private let inbox: ClusterInbox
  /// `nil` on a single server.
  private let cluster: ClusterNode?
  private let entrance: Entrance
  private let readiness: ReadinessReport
  private let threads: Mutex<[Reactor.Thread]>

  /// Opens the listeners and the store, and starts to serve.
  ///
  /// Waits for a database or a bus that cannot be reached. Requests are answered during that time, with
  /// the status that the server is not ready.
  ///
  /// - Parameters:
  ///   - entrance: The sockets of a previous gateway; `nil` opens new ones for this gateway alone.
  ///   - pause: Called on the caller's thread before another attempt to reach the database or the bus,
  ///     with the reason and the addresses. Waits, and returns whether to make the attempt.
  /// - Throws: A description of the problem for the operator.
  package init(
    _ plan: GatewayPlan, at entrance: Entrance? = nil, logger: Logger,
    pause: @escaping @Sendable (_ reason: String, [BoundAddress]) -> Bool = { _, _ in true }
  ) throws {
    let settings = plan.settings
    let count = plan.shardCount
    let entrance = entrance ?? Entrance(plan, logger: logger)
    try entrance.open()
    self.entrance = entrance
    let bound = entrance.addresses
    let wait = StartWait(entrance, logger: logger) { pause($0, bound) }
    inbox = ClusterInbox(
      callTimeout: settings.cluster.callTimeoutMilliseconds, logger: logger)
    cluster = try ClusterNode(settings, inbox.figures, wait, logger: logger)
    let shards = try ShardSet(count: count, network: cluster?.network)
    do {
      services = try GatewayServices(
        plan, shards: shards, cluster: cluster, relayCounts: inbox.figures, entrance: entrance,
        wait, logger: logger)
    } catch {
      cluster?.leave()
      throw error
    }
    if let network = shards.network { inbox.open(shards, network) }
    addresses = bound
    services.uploads.start(isAlone: cluster == nil)
    let listeners = try entrance.handOver()
    Self.warn(settings, logger)
    let services = services
    let start = StartReport<StartError>()
    threads = Mutex(
      try zip(shards.handles, listeners).map { handle, listeners in
        try Reactor.Thread(name: "reactor-\(handle.index)") {
          Self.run(handle, services, listeners, start)
        }
      })
    try start.wait(for: count)
    services.serve()
    services.controlLog?.follow(
      for: services, every: settings.cluster.beatMilliseconds)
    cluster?.serve(inbox)
    readiness = ReadinessReport(services)
  }

  /// Logs changes of readiness from now on, with the reasons.
  package func reportReadiness() { readiness.follow() }

  /// Adopts reloaded settings, and reloads the files that may change while the gateway runs.
  ///
  /// These are the certificate, the master keys of files, and the list of domains without previews. When
  /// a new one cannot be used, the old one stays in use. The audit log is reopened.
  package func reload(_ settings: SettingsReload) {
    adopt(settings)
    reloadCertificate()
    services.audit?.reopen()
    services.vault.reload()
    do {
      try services.previews?.reload()
    } catch {
      services.logger.error(
        "unfurl.opt_out_file cannot be read; the previous list stays in force",
        metadata: ["reason": "\(error)"])
    }
  }

  private func adopt(_ reload: SettingsReload) {
    services.reloads.note(reload, at: SystemClock.unixMilliseconds)
    guard case .adopted(let change) = reload else { return }
    do {
      try services.adopt(change.settings)
      if change.settings.auth.jwtPublicKey != nil {
        services.logger.notice("reloaded the key of auth.jwt_public_key")
      }
      Self.warnOfTokenKeys(change.settings.auth, services.logger)
      cluster?.adopt(change.settings, services.logger)
    } catch {
      services.logger.error(
        "the keys of access tokens cannot be read; the previous ones stay in force",
        metadata: ["reason": "\(error)"])
    }
  }

  private func reloadCertificate() {
    guard let certificate = services.certificate else { return }
    do {
      try certificate.reload()
      services.logger.notice("reloaded the certificate")
      Self.warnOfPrivateKey(services.settings, services.logger)
    } catch {
      services.logger.error(
        "the certificate cannot be read; the previous one stays in use",
        metadata: ["reason": "\(error)"])
    }
  }

  /// Begins to stop: accepts no new sessions, answers accepted requests, and asks all clients to
  /// reconnect.
  package func drain() {
    services.drain()
  }

  /// Stops without waiting for clients.
  package func hurry() {
    services.shards.sendToAll(.hurry)
  }

  /// Whether the gateway stops only because the cluster continues without it.
  ///
  /// Started again, it is a new server of the cluster.
  package var startsAgain: Bool { services.startsAgain }

  /// Calls `answer`, from any thread, once every event loop has completed a turn.
  ///
  /// Never calls it when an event loop is stuck or has ended.
  package func takePulse(_ answer: @escaping @Sendable () -> Void) {
    services.shards.sendToAll(.pulse(MissingAnswers(services.shards.count, then: answer)))
  }

  /// Waits until the gateway has stopped, and closes the store.
  package func waitUntilStopped() {
    threads.withLock { threads in
      for thread in threads { thread.join() }
      threads = []
    }
    if services.startsAgain { answerMeanwhile() }
    cluster?.leave()
    services.thumbnails.shutDown()
    services.translator?.shutdown()
    services.hooks?.shutdown()
    services.previews?.close()
    services.files.close()
    services.webhooks?.shutDown()
    services.push?.shutDown()
    services.audit?.close()
    services.authenticator.keys.shutDown()
    services.quotas.record(in: services.store)
    services.store.close()
  }

  /// Answers that the server is not ready, until another gateway takes over.
  private func answerMeanwhile() {
    do {
      try entrance.open()
      entrance.setReason("joining the cluster again")
    } catch {
      services.logger.warning("health checks are not answered", metadata: ["reason": "\(error)"])
    }
  }

  /// Warns about settings that the operator may not have intended.
  private static func warn(_ settings: Settings, _ logger: Logger) {
    if settings.auth.mode == .open, settings.isExposed {
      logger.warning(
        "auth.mode is open on an address that other machines can reach: anyone can act as any user; set auth.mode to token"
      )
    }
    if let bus = settings.cluster.forgeableBus {
      logger.warning(
        "cluster.bus is not encrypted and cluster.secret is not set: anyone between the servers can forge messages",
        metadata: ["bus": "\(bus)"])
    }
    if PrivateFile.isOpenToOthers(settings.dataDirectory) {
      logger.warning(
        "data_dir is accessible to other users of the machine, its files are not; chmod 700 closes the directory",
        metadata: ["data_dir": "\(settings.dataDirectory)"])
    }
    if settings.files.encryption == .on, settings.files.publicURL == nil,
      settings.limits.fileBytes > 0
    {
      logger.warning(
        "files.encryption is on without files.public_url: the Host of an upload's request decides the addresses of its file, and clients send file keys only to the host that they are connected to; set files.public_url"
      )
    }
    if settings.translation.isPaidWithoutLimit {
      logger.warning(
        "translation.api_key is set without translation.characters_per_day: users decide how many characters are sent to a paid service; set a limit per day"
      )
    }
    if settings.hooks.events.contains(.messageSend), !settings.hooks.events.contains(.messageUpdate)
    {
      logger.warning(
        "hooks.events has message.send without message.update: the app's back end does not see edits; add message.update"
      )
    }
    warnOfPrivateKey(settings, logger)
    warnOfTokenKeys(settings.auth, logger)
  }

  private static func warnOfTokenKeys(_ settings: AuthSettings, _ logger: Logger) {
    let providers = settings.providers
    if settings.mode == .token, settings.jwtSecret == nil, settings.jwtPublicKey == nil,
      providers.isEmpty
    {
      logger.warning(
        "auth.mode is token without auth.jwt_secret, auth.jwt_public_key or auth.jwks: only tokens issued by the Platform API open sessions"
      )
    }
    if settings.mode == .open, !providers.isEmpty {
      logger.warning("auth.jwks has no effect, because auth.mode is open; set auth.mode to token")
    }
    for provider in providers where provider.issuer.audience == nil {
      logger.warning(
        "a provider has no audience: tokens that it issued for other applications open sessions; set the audience",
        metadata: ["issuer": "\(provider.issuer.name)"])
    }
    if let secret = settings.jwtSecret, secret.value.utf8.count < TokenVerifier.soundSecretSize {
      logger.warning(
        "auth.jwt_secret is shorter than 32 bytes and can be guessed; use a longer secret")
    }
  }

  private static func warnOfPrivateKey(_ settings: Settings, _ logger: Logger) {
    guard let key = settings.tls.privateKey, PrivateFile.isOpenToOthers(key) else { return }
    logger.warning(
      "tls.private_key is accessible to other users of the machine; run chmod 600 on it",
      metadata: ["file": "\(key)"])
  }

  private static func run(
    _ handle: ShardHandle, _ services: GatewayServices, _ listeners: [ShardListener],
    _ start: StartReport<StartError>
  ) {
    do {
      let shard = try Shard(handle: handle, services: services)
      for (tag, listener) in listeners.enumerated() {
        if listener.servesMetrics { shard.metricsListeners.insert(tag) }
        if listener.answersLoopbackNamesOnly { shard.loopbackListeners.insert(tag) }
        try shard.transport.listen(
          listener.descriptor, security: listener.security, proxyHeader: listener.proxyHeader,
          tag: tag, pool: listener.pool)
      }
      shard.clockWatch = ClockWatch(on: shard)
      if handle.index == 0 {
        shard.uploadSweeper = UploadSweeper(on: shard)
        shard.retentionSweeper = RetentionSweeper(on: shard)
        shard.emptyGroupSweeper = EmptyGroupSweeper(on: shard)
        shard.searchIndexer = SearchIndexer(on: shard)
        shard.longRequests = LongRequestRunner(on: shard)
        shard.groupCensus = GroupCensus(on: shard)
        shard.reportSweeper = ReportSweeper(on: shard)
        shard.quotaWatch = QuotaWatch(on: shard)
        shard.metricRecorder = MetricRecorder(on: shard)
      }
      if services.vault.userKeys.isOn { shard.fileKeyRenewal = FileKeyRenewal(on: shard) }
      start.add(.success(()))
      shard.loop.run()
    } catch {
      start.add(.failure(StartError("a reactor can't start: \(error)")))
    }
  }
}

/// Counts answers of several threads, and calls a closure with the last.
final class MissingAnswers: Sendable {
  private let count: Atomic<Int>
  private let whenComplete: @Sendable () -> Void

  init(_ count: Int, then whenComplete: @escaping @Sendable () -> Void) {
    self.count = Atomic(count)
    self.whenComplete = whenComplete
  }

  func oneCame() {
    let (_, left) = count.subtract(1, ordering: .acquiringAndReleasing)
    if left == 0 { whenComplete() }
  }
}
