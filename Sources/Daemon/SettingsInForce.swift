package import Configuration
internal import Logging
internal import Synchronization
internal import Telemetry

/// The settings that a process runs with, which it can reload.
package final class SettingsInForce: Sendable {
  private let source: SettingsSource
  /// Applies settings in the same way as at the start; throws if they are unusable.
  private let check: @Sendable (Settings) throws -> Void
  private let settings: Mutex<Settings>

  init(
    _ settings: Settings, from source: SettingsSource,
    check: @escaping @Sendable (Settings) throws -> Void
  ) {
    self.source = source
    self.check = check
    self.settings = Mutex(settings)
  }

  /// The current settings.
  package var current: Settings { settings.withLock { $0 } }

  /// Reads the settings again, as at the start, and logs the changes.
  ///
  /// Nothing changes unless all of them are valid.
  func reload(_ logger: Logger) -> SettingsReload {
    do {
      let old = current
      let new = try source.load()
      try check(new)
      let change = try SettingsChange(from: old, to: new, of: source.program)
      settings.withLock { $0 = change.settings }
      // The log line about the change is written at the lower of the two levels.
      Telemetry.setLevel(min(Logger.Level(old.log.level), Logger.Level(new.log.level)))
      Self.log(change, logger)
      Telemetry.setLevel(Logger.Level(change.settings.log.level))
      return .adopted(change)
    } catch {
      for metadata in StartFailure.reasons(of: error) {
        logger.error(
          "the settings cannot be reloaded; the previous ones stay in force", metadata: metadata)
      }
      return .refused
    }
  }

  private static func log(_ change: SettingsChange, _ logger: Logger) {
    if change.adopted.isEmpty {
      logger.notice("reloaded the settings; none has changed")
    } else {
      logger.notice("reloaded the settings", metadata: metadata(of: change.adopted))
    }
    if !change.postponed.isEmpty {
      logger.warning(
        "settings have changed that hold from the next start on; restart to adopt them",
        metadata: metadata(of: change.postponed))
    }
  }

  private static func metadata(of entries: [SettingsChange.Entry]) -> Logger.Metadata {
    Logger.Metadata(
      entries.map { ($0.name, .string($0.description)) }, uniquingKeysWith: { first, _ in first })
  }
}

extension Logger.Level {
  /// Converts the level of the setting; the names are the same.
  init(_ level: LogSettings.Level) {
    self =
      switch level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}
