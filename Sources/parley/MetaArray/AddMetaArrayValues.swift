internal import ArgumentParser

/// Adds texts to a message's extra data.
struct AddMetaArrayValues: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add texts to a message's extra data; new keys are made.")

  @OptionGroup var change: MetaArrayChange

  func run() throws {
    var body = RequestBody()
    body.set("upsert", true)
    try change.perform(mode: "add", body: body)
  }
}
