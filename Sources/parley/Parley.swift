internal import ArgumentParser
internal import Configuration

/// The operator's and developer's command line.
@main
struct Parley: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parley",
    abstract: "Operate and inspect a Parley gateway.",
    version: "\(Release.name) \(Release.version)",
    subcommands: [PreviewCommand.self])
}
