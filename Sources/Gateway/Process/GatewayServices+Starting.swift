import Configuration
import FloodControl
import LinkPreview
import Logging
import Reactor
import Store
import Telemetry
import Unfurler
import Webhooks

extension GatewayServices {
  /// Opens what the nodes share.
  convenience init(_ plan: GatewayPlan, cluster: Cluster, logger: Logger) throws {
    let settings = plan.settings
    // One shard for each node, one for the store's thread and one for the unfurler's.
    let metrics = GatewayMetrics(shards: cluster.nodes.count + 2)
    let storeMetrics = metrics.latencies[cluster.nodes.count]
    let fetchMetrics = metrics.latencies[cluster.nodes.count + 1]
    let participantCounts = ParticipantCounts()
    let door = DeliveryDoor()
    var options = StoreOptions(
      logger: logger,
      outbox: OutboxOptions(settings.webhooks, counts: participantCounts, door: door),
      filesBase: settings.files.publicURL.map(FileAddress.base(ofPublicURL:)),
      onCommit: { nanoseconds, _ in storeMetrics.record(nanoseconds: nanoseconds, for: .commit) },
      afterBatch: { for node in cluster.nodes { node.mailbox.ring() } })
    options.queryMilliseconds = settings.limits.queryMilliseconds
    let store = try Store(directory: settings.dataDirectory, options: options)
    let authenticator = Authenticator(settings.auth.mode, plan.verifiers, store: store)
    let files = try FileStore(dataDirectory: settings.dataDirectory)
    files.collectOrphans(in: store)
    self.init(
      settings: settings, cluster: cluster, store: store, files: files,
      previews: try PreviewService(settings, plan.fetching, logger: logger) { _, duration in
        fetchMetrics.record(nanoseconds: UInt64(max(0, duration / .nanoseconds(1))), for: .fetch)
      },
      webhooks: try Webhooks(settings.webhooks, store: store, door: door, logger: logger),
      participantCounts: participantCounts, authenticator: authenticator,
      apiTokens: try APITokens(
        settings, issued: IssuedAPITokens(try store.readNow { try $0.apiTokens() })),
      limits: LimitTable(settings.limits, try store.readNow { try $0.limitOverrides() }),
      messageIDs: MessageIDs(after: try store.readNow { try $0.maximumMessageID() }),
      metrics: metrics, descriptors: DescriptorPlan(limit: DescriptorLimit.raise()), logger: logger)
  }
}
