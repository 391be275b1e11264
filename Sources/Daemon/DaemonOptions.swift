package import ArgumentParser
package import Configuration
internal import Glibc
internal import Logging
internal import Reactor
internal import Telemetry

/// The command line of a daemon: its settings, and questions about them.
package struct DaemonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read settings from this YAML or JSON file.", valueName: "file"))
  var config: String?

  @Flag(help: "Check the settings, say whether they are valid, and exit.")
  var checkConfig = false

  @Flag(help: "Print a configuration file with all settings and their defaults, and exit.")
  var printDefaults = false

  @Argument(parsing: .allUnrecognized, help: .hidden)
  var settings: [String] = []

  package init() {}

  /// The name and description of a daemon's command.
  package static func configuration(
    of program: Program, _ name: String, abstract: String
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name, abstract: abstract,
      usage: "\(name) [--config <file>] [--<setting> <value> ...]",
      discussion: SettingsReference.helpText(of: program),
      version: "\(Release.name) \(Release.version)")
  }

  /// Answers a question about the settings, or runs with them.
  ///
  /// - Parameters:
  ///   - prepare: Makes of the settings what the daemon needs; what it throws is a wrong setting.
  ///   - run: Returns the exit status.
  /// - Throws: The exit status: `EX_CONFIG` for wrong settings.
  package func run<Prepared>(
    _ program: Program, _ name: String, prepare: (Settings) throws -> Prepared,
    run: (Settings, Prepared) -> Int32
  ) throws {
    if printDefaults {
      print(SettingsReference.defaultsFile(of: program), terminator: "")
      return
    }
    let settings: Settings
    let prepared: Prepared
    do {
      settings = try SettingsLoader.load(
        for: program, arguments: self.settings,
        environment: ProcessEnvironment.variables, file: config)
      prepared = try prepare(settings)
    } catch {
      StandardError.write("\(name): \(error)")
      throw ExitCode(EX_CONFIG)
    }
    if checkConfig {
      print("configuration is valid")
      return
    }
    Telemetry.bootstrap(
      level: Logger.Level(rawValue: settings.log.level.rawValue) ?? .info,
      format: LogFormat(rawValue: settings.log.format.rawValue) ?? .text)
    throw ExitCode(run(settings, prepared))
  }
}
