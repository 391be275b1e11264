internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import Logging
internal import Telemetry

/// The server's command line: reads the settings, then runs the gateway or answers about them.
@main
struct Parleyd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parleyd",
    abstract: "Real-time gateway: WebSocket channels, flood protection, link previews.",
    usage: "parleyd [--config <file>] [--<setting> <value> ...]",
    discussion: SettingsReference.helpText(of: .gateway),
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
      print(SettingsReference.defaultsFile(of: .gateway), terminator: "")
      return
    }
    let settings = try loadSettings()
    if checkConfig {
      print("configuration is valid")
      return
    }
    throw ExitCode(start(settings))
  }

  private func loadSettings() throws -> Settings {
    do {
      return try SettingsLoader.load(
        for: .gateway, arguments: settings, environment: ProcessInfo.processInfo.environment,
        file: config)
    } catch {
      FileHandle.standardError.write(Data("parleyd: \(error)\n".utf8))
      throw ExitCode(EX_CONFIG)
    }
  }

  private func start(_ settings: Settings) -> Int32 {
    Telemetry.bootstrap(
      level: Logger.Level(rawValue: settings.log.level.rawValue) ?? .info,
      format: LogFormat(rawValue: settings.log.format.rawValue) ?? .text)
    return GatewayProcess.run(settings: settings)
  }
}
