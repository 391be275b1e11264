internal import ArgumentParser

/// Adds to counters.
struct IncreaseMetacounters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "increase", abstract: "Add to counters; one that is not there begins at 0.")

  @OptionGroup var change: MetacounterChange

  func run() throws { try change.perform(mode: "increase") }
}
