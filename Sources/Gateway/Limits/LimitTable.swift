import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Synchronization

/// The limits that apply where a channel has none of its own: those of its custom type, else those
/// set for the deployment, else those of the settings.
///
/// Consulted when a channel is loaded or a limit is set, never when messages are sent.
final class LimitTable: Sendable {
  private struct Values {
    var flood: RateLimit
    var throttle: RateLimit
    var overrides: LimitOverrides
    var filters = CompiledFilters()

    /// The limit of the settings.
    func standard(_ kind: LimitKind) -> RateLimit {
      switch kind {
      case .flood: flood
      case .throttle: throttle
      }
    }
  }

  private let values: Mutex<Values>

  init(_ settings: LimitSettings, _ overrides: LimitOverrides) {
    values = Mutex(
      Values(
        flood: settings.flood.limit, throttle: settings.throttle, overrides: overrides,
        filters: CompiledFilters(overrides.wordFilters)))
  }

  /// The limit for channels of a custom type.
  func limit(_ kind: LimitKind, customType: String) -> RateLimit {
    values.withLock { values in
      let overrides = values.overrides
      let override = overrides.customTypes[customType]?[kind] ?? overrides.deployment[kind]
      return override.map(RateLimit.init) ?? values.standard(kind)
    }
  }

  /// The flood limit of a channel, from its stored state.
  func floodLimit(of state: ChannelState) -> RateLimit {
    state.floodOverride.map(RateLimit.init) ?? limit(.flood, customType: state.channel.customType)
  }

  /// The origin of the limit for channels of a custom type.
  func source(_ kind: LimitKind, customType: String) -> LimitSource {
    values.withLock { values in
      if values.overrides.customTypes[customType]?[kind] != nil { return .customType }
      return values.overrides.deployment[kind] != nil ? .deployment : .settings
    }
  }

  /// The limit of the deployment.
  func limit(_ kind: LimitKind) -> RateLimit {
    values.withLock { values in
      values.overrides.deployment[kind].map(RateLimit.init) ?? values.standard(kind)
    }
  }

  /// Adopts the overrides that the store holds now.
  func replace(with new: LimitOverrides) {
    // Compiled before the lock is taken: channels that are loaded wait for it.
    let (present, filters) = values.withLock { ($0.overrides.wordFilters, $0.filters) }
    let compiled = present == new.wordFilters ? filters : CompiledFilters(new.wordFilters)
    values.withLock { ($0.overrides, $0.filters) = (new, compiled) }
  }

  /// The filter of channels of a custom type; `nil` for none.
  func wordFilter(customType: String) -> WordFilter? {
    values.withLock { $0.filters.filter(customType: customType) }
  }

  /// The rules for channels of a custom type, or for the deployment.
  func wordFilterRules(customType: String?) -> WordFilterRules {
    values.withLock { values in
      let filters = values.overrides.wordFilters
      return customType.flatMap { filters.customTypes[$0] } ?? filters.deployment
        ?? WordFilterRules()
    }
  }

  /// Adopts settings that were reloaded.
  ///
  /// - Returns: Whether the limits in the settings have changed, and channels in memory must adopt them.
  func adopt(_ settings: LimitSettings) -> Bool {
    values.withLock { values in
      let (flood, throttle) = (settings.flood.limit, settings.throttle)
      guard values.flood != flood || values.throttle != throttle else { return false }
      (values.flood, values.throttle) = (flood, throttle)
      return true
    }
  }
}

/// The filters that are in force, compiled once for all channels.
private struct CompiledFilters: Sendable {
  private var deployment: WordFilter?
  /// `nil` for a custom type whose channels have no filter.
  private var customTypes: [String: WordFilter?] = [:]

  init(_ rules: WordFilterSet = WordFilterSet()) {
    deployment = rules.deployment.flatMap(WordFilter.init)
    customTypes = rules.customTypes.mapValues(WordFilter.init)
  }

  func filter(customType: String) -> WordFilter? { customTypes[customType] ?? deployment }
}

extension RateLimit {
  init(_ override: LimitOverride) {
    self.init(count: override.messages, windowMilliseconds: override.windowMilliseconds)
  }
}

/// The origin of a limit; the narrowest origin that sets a limit decides.
enum LimitSource: String, Sendable {
  case channel
  case customType = "custom_type"
  /// Set for the deployment while it runs.
  case deployment
  /// The settings in force, or their defaults.
  case settings
}
