import Glibc

/// The number of schedules that a simulation runs.
enum Schedules {
  /// A multiple of the usual number, for long runs: `SIMULATION_FACTOR=20 swift test --filter Simulation`.
  static let factor = getenv("SIMULATION_FACTOR").flatMap { Int(String(cString: $0)) } ?? 1
}
