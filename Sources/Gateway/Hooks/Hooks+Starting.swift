import Channels
import Configuration
import Curl
import Hooks
import Logging
import ParleyProtocol
import Telemetry

extension Hooks {
  /// Starts asking the app's back end; `nil` when it is asked about nothing.
  static func start(
    _ settings: Settings, logger: Logger, observe: @escaping @Sendable (UInt64) -> Void
  ) throws -> Hooks? {
    guard let configuration = HookConfiguration(settings) else { return nil }
    return try Hooks(configuration, logger: logger, observe: observe)
  }
}

extension HookConfiguration {
  /// - Returns: `nil` when the app's back end is asked about nothing.
  init?(_ settings: Settings) {
    let hooks = settings.hooks
    guard !hooks.events.isEmpty, let secret = hooks.secret else { return nil }
    let urls = hooks.events.compactMap { hook in hooks.url(of: hook).map { (hook, $0) } }
    self.init(
      urls: Dictionary(urls) { first, _ in first }, secret: Array(secret.value.utf8))
    userAgent = "\(Release.name)/\(Release.number)"
    timeout = settings.hookTimeoutMilliseconds
    concurrency = hooks.concurrency
    for hook in hooks.events { policies[hook] = hooks.policy(of: hook) }
    // Without an answer the user is not known.
    if settings.auth.mode == .hook { policies[.sessionOpen] = .deny }
    sessionCacheSeconds = hooks.sessionCacheSeconds
  }
}

extension GatewayServices {
  /// The calls of channels that the app's back end is asked about; `nil` for none.
  var judgeHooks: JudgeHooks? {
    guard let hooks else { return nil }
    let names = hooks.names.intersection([.messageSend, .messageUpdate, .groupJoin, .groupInvite])
    guard !names.isEmpty else { return nil }
    let settings = settings
    return JudgeHooks(
      names, includesPlatform: settings.hooks.asksPlatform, limits: settings.limits.customData)
  }
}

extension Hooks {
  /// The metrics of hooks.
  var samples: [MetricSample] {
    let figures = figures
    var samples = [
      MetricSample(
        "parley_hooks_waiting", .gauge, "Calls that wait to be asked about.", figures.waiting)
    ]
    for (hook, state) in figures.hooks.sorted(by: { $0.key < $1.key }) {
      for outcome in HookOutcome.allCases {
        let definition = MetricDefinition(
          "parley_hooks_total", kind: .counter,
          help: "Calls that the app's back end was to be asked about, by outcome.",
          labels: [.init("hook", hook.rawValue), .init("outcome", outcome.rawValue)])
        samples.append(MetricSample(definition, .count(UInt64(state.outcomes[outcome] ?? 0))))
      }
      samples.append(
        MetricSample(
          "parley_hook_circuit_open", .gauge,
          "1 while hooks.on_failure applies at once, because the app's back end does not answer.",
          state.isCircuitOpen ? 1 : 0, .init("hook", hook.rawValue)))
    }
    return samples
  }
}
