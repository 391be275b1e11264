import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Synchronization

/// The limits that hold where a channel has none of its own: those of its custom type, else those
/// set for the deployment, else those of the settings.
///
/// Asked when a channel is loaded or a limit is set, never when messages are sent.
final class LimitTable: Sendable {
  private let standard: [LimitKind: RateLimit]
  private let overrides: Mutex<LimitOverrides>

  init(_ settings: LimitSettings, _ overrides: LimitOverrides) {
    standard = [.flood: settings.flood.limit, .throttle: settings.throttle]
    self.overrides = Mutex(overrides)
  }

  /// The limit for channels of a custom type.
  func limit(_ kind: LimitKind, customType: String) -> RateLimit {
    let override = overrides.withLock { overrides in
      overrides.customTypes[customType]?[kind] ?? overrides.deployment[kind]
    }
    return override.map(RateLimit.init) ?? standard[kind]
      ?? RateLimit(
        count: 0, windowMilliseconds: 0)
  }

  /// The flood limit of a channel as the store has it.
  func floodLimit(of state: ChannelState) -> RateLimit {
    state.floodOverride.map(RateLimit.init) ?? limit(.flood, customType: state.channel.customType)
  }

  /// The origin of the limit for channels of a custom type.
  func source(_ kind: LimitKind, customType: String) -> LimitSource {
    overrides.withLock { overrides in
      if overrides.customTypes[customType]?[kind] != nil { return .customType }
      return overrides.deployment[kind] != nil ? .deployment : .settings
    }
  }

  /// The limit of the deployment.
  func limit(_ kind: LimitKind) -> RateLimit {
    let override = overrides.withLock { $0.deployment[kind] }
    return override.map(RateLimit.init) ?? standard[kind]
      ?? RateLimit(
        count: 0, windowMilliseconds: 0)
  }

  /// Takes over what the store holds now.
  func replace(with new: LimitOverrides) {
    overrides.withLock { $0 = new }
  }
}

extension RateLimit {
  init(_ override: LimitOverride) {
    self.init(count: override.messages, windowMilliseconds: override.windowMilliseconds)
  }
}

/// The origin of a limit; the narrowest that sets one decides.
enum LimitSource: String, Sendable {
  case channel
  case customType = "custom_type"
  /// Set for the deployment while it runs.
  case deployment
  /// The settings with which the gateway was started, or their defaults.
  case settings
}
