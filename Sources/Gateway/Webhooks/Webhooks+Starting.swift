import Channels
import Configuration
import Lanes
import Logging
import ParleyProtocol
import Store
import Webhooks

extension OutboxOptions {
  /// The events to keep according to the settings; `nil` when there is no URL.
  init?(_ settings: WebhookSettings, counts: ParticipantCounts, door: DeliveryHandle) {
    guard !settings.urls.isEmpty else { return nil }
    self.init(
      events: Set(settings.events), participantCount: { counts[$0] },
      didQueue: { door.didQueue($0) })
  }
}

extension Webhooks {
  /// Continues the deliveries to the URLs in the settings, and discards those to other URLs.
  ///
  /// - Parameters:
  ///   - store: A store that has not been written to.
  ///   - cluster: The other servers; `nil` on a single server.
  ///   - clock: The clock of the events.
  ///   - hold: The time during which no event is discarded because of its age.
  /// - Returns: `nil` when there is no URL.
  convenience init?(
    _ settings: WebhookSettings, store: Store, cluster: LaneCluster?, door: DeliveryHandle,
    clock: DeploymentClock, hold: DeletionHold, logger: Logger
  ) throws {
    let urls = settings.urls.withoutRepetitions()
    let contents = try store.performNow(OutboxReceiverChange(urls))
    guard let configuration = WebhookConfiguration(settings, clock: clock, hold: hold) else {
      return nil
    }
    try self.init(
      configuration, contents: contents, store: store, cluster: cluster, door: door, logger: logger)
  }
}

extension WebhookConfiguration {
  /// - Returns: `nil` when there is no URL.
  init?(_ settings: WebhookSettings, clock: DeploymentClock, hold: DeletionHold) {
    let urls = settings.urls.withoutRepetitions()
    guard !urls.isEmpty, let secret = settings.secret else { return nil }
    self.init(urls: urls, secret: Array(secret.value.utf8))
    userAgent = "\(Release.name)/\(Release.number)"
    timeout = settings.timeoutMilliseconds
    concurrency = settings.concurrency
    let retryTime = settings.retrySeconds * 1_000
    self.retryTime = retryTime
    ageClock = {
      let now = clock.moment
      return hold.rest(forAge: retryTime, at: now) > 0 ? nil : now.unix
    }
    backlogLimit = settings.backlogEvents
  }
}
