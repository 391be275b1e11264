internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import Logging
internal import Telemetry
internal import Unfurler
internal import UnfurlSetup

/// The preview service's command line: reads the settings, then runs the service or answers about
/// them.
@main
struct ParleyUnfurl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parley-unfurl",
    abstract: "Looks link previews up for a gateway, over HTTP.",
    usage: "parley-unfurl [--config <file>] [--<setting> <value> ...]",
    discussion: SettingsReference.helpText(of: .unfurlService),
    version: "\(Release.name) \(Release.version)")

  @Option(help: ArgumentHelp("Read settings from this YAML or JSON file.", valueName: "file"))
  var config: String?

  @Flag(help: "Check the settings, say whether they are valid, and exit.")
  var checkConfig = false

  @Flag(help: "Print a configuration file with all settings and their defaults, and exit.")
  var printDefaults = false

  @Argument(parsing: .allUnrecognized, help: .hidden)
  var settings: [String] = []

  func run() throws {
    if printDefaults {
      print(SettingsReference.defaultsFile(of: .unfurlService), terminator: "")
      return
    }
    let (settings, fetching) = try loadSettings()
    if checkConfig {
      print("configuration is valid")
      return
    }
    throw ExitCode(start(settings, fetching))
  }

  private func loadSettings() throws -> (Settings, UnfurlerConfiguration) {
    do {
      let settings = try SettingsLoader.load(
        for: .unfurlService, arguments: settings,
        environment: ProcessInfo.processInfo.environment, file: config)
      return (settings, try UnfurlerConfiguration(settings.unfurl))
    } catch {
      FileHandle.standardError.write(Data("parley-unfurl: \(error)\n".utf8))
      throw ExitCode(EX_CONFIG)
    }
  }

  private func start(_ settings: Settings, _ fetching: UnfurlerConfiguration) -> Int32 {
    Telemetry.bootstrap(
      level: Logger.Level(rawValue: settings.log.level.rawValue) ?? .info,
      format: LogFormat(rawValue: settings.log.format.rawValue) ?? .text)
    return ServiceProcess.run(settings: settings, fetching: fetching)
  }
}
