import Glibc

/// The seeds that a simulation runs.
enum Schedules {
  /// A multiple of the usual number, for long runs: `SIMULATION_FACTOR=20 swift test --filter Several`.
  private static let factor = number("SIMULATION_FACTOR") ?? 1
  /// The only seed, to look at one run.
  private static let seed = number("SIMULATION_SEED")

  /// The seeds of one of eight parts, which run at the same time.
  static func seeds(_ part: UInt64) -> StrideTo<UInt64> {
    if let seed { return stride(from: seed, to: seed % 8 == part ? seed + 1 : seed, by: 1) }
    return stride(from: part, to: 8 * 6 * factor, by: 8)
  }

  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
