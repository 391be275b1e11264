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
      Values(flood: settings.flood.limit, throttle: settings.throttle, overrides: overrides))
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
    values.withLock { $0.overrides = new }
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
