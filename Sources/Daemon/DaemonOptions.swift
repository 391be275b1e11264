package import ArgumentParser
package import Configuration
internal import Glibc
internal import Logging
internal import Reactor
internal import Telemetry

/// The command line of a daemon: its settings, and options to inspect them.
package struct DaemonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read settings from this YAML or JSON file.", valueName: "file"))
  var config: String?

  @Flag(help: "Check the settings, say whether they are valid, and exit.")
  var checkConfig = false

  @Flag(
    help:
      "With --check-config: also try addresses, the data directory, databases and services.")
  var deep = false

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

  /// Prints the requested information about the settings, or runs with them.
  ///
  /// - Parameters:
  ///   - prepare: Creates what the daemon needs from the settings; an error means an invalid setting.
  ///   - inspect: Tests the files and services in the settings, for --deep.
  ///   - run: Runs with the settings, which change when they are reloaded; returns the exit status.
  /// - Throws: The exit status: `EX_CONFIG` for invalid settings.
  package func run<Prepared>(
    _ program: Program, _ name: String,
    prepare: @escaping @Sendable (Settings) throws -> Prepared,
    inspect: (Settings, Prepared) -> [SettingFinding],
    run: (SettingsInForce, Prepared) -> Int32
  ) throws {
    if printDefaults {
      print(SettingsReference.defaultsFile(of: program), terminator: "")
      return
    }
    let source = SettingsSource(
      of: program, arguments: self.settings, environment: ProcessEnvironment.variables,
      file: config)
    let settings: Settings
    let prepared: Prepared
    var format: LogSettings.Format?
    do {
      settings = try source.load()
      format = settings.log.format
      prepared = try prepare(settings)
    } catch {
      format = format ?? (error as? SettingsError)?.logFormat
      StartFailure.write(error, name: name, format: format ?? .text)
      throw ExitCode(EX_CONFIG)
    }
    if checkConfig {
      print("configuration is valid")
      if deep { try report(inspect(settings, prepared)) }
      return
    }
    do {
      try Telemetry.bootstrap(
        level: Logger.Level(settings.log.level),
        format: LogFormat(rawValue: settings.log.format.rawValue) ?? .text)
    } catch {
      StartFailure.write(error, name: name, format: settings.log.format)
      throw ExitCode(EX_OSERR)
    }
    Logger(label: name).notice("starting", metadata: ["version": "\(Release.version)"])
    let inForce = SettingsInForce(settings, from: source) { _ = try prepare($0) }
    throw ExitCode(run(inForce, prepared))
  }

  package func validate() throws {
    guard checkConfig || !deep else { throw ValidationError("--deep needs --check-config") }
  }

  /// Prints a line for each finding.
  ///
  /// - Throws: `EX_CONFIG` when one of them is a problem.
  private func report(_ findings: [SettingFinding]) throws {
    let width = SettingFinding.Verdict.allCases.map(\.rawValue.utf8.count).max() ?? 0
    for finding in findings {
      let word = finding.verdict.rawValue
      let gap = String(repeating: " ", count: width + 2 - word.utf8.count)
      print(word + gap + finding.setting + ": " + finding.text)
    }
    if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(EX_CONFIG) }
  }
}
