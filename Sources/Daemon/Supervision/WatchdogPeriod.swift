/// How often a supervisor wants to hear that the process lives, as sd_watchdog_enabled(3) documents
/// it.
enum WatchdogPeriod {
  /// Microseconds after which the supervisor takes the process for dead; `nil` when it does not
  /// watch, or watches another process.
  static func microseconds(environment: [String: String], processID: Int32) -> UInt64? {
    if let watched = environment["WATCHDOG_PID"], watched != String(processID) { return nil }
    guard let period = environment["WATCHDOG_USEC"].flatMap({ UInt64($0) }), period > 0 else {
      return nil
    }
    return period
  }
}
