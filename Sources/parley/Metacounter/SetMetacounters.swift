internal import ArgumentParser

/// Sets counters.
struct SetMetacounters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set counters; the others stay.")

  @OptionGroup var change: MetacounterChange

  func run() throws { try change.perform(mode: "set") }
}
