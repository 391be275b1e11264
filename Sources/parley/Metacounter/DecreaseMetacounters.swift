internal import ArgumentParser

/// Subtracts from counters.
struct DecreaseMetacounters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrease", abstract: "Subtract from counters; one that is not there begins at 0.")

  @OptionGroup var change: MetacounterChange

  func run() throws { try change.perform(mode: "decrease") }
}
