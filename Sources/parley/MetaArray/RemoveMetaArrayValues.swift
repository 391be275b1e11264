internal import ArgumentParser

/// Removes texts from a message's extra data.
struct RemoveMetaArrayValues: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove texts from a message's extra data; keys stay.")

  @OptionGroup var change: MetaArrayChange

  func run() throws { try change.perform(mode: "remove") }
}
