internal import ArgumentParser
internal import Configuration
internal import Foundation

/// The servers' settings.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the servers' settings, and print their defaults.",
    discussion: """
      EXAMPLES:
        parley config defaults > parley.yaml
        parley config check parley.yaml
        parley config check parley.yaml --program unfurl
      """,
    subcommands: [Check.self, Defaults.self])
}

extension ConfigCommand {
  /// Looks for mistakes in a file of settings.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check a file of settings as a server would at its start.",
      discussion: """
        The file alone is looked at, unless --environment has the variables PARLEY_… of this process \
        decide over it. Every mistake is told, and the exit status is then 1.
        """)

    @Argument(help: "A YAML or JSON file.")
    var file: String

    @Option(help: ArgumentHelp("Whose settings: gateway or unfurl.", valueName: "program"))
    var program = ProgramName.gateway

    @Flag(help: "Take the environment into account.")
    var environment = false

    func run() throws {
      let variables = environment ? ProcessInfo.processInfo.environment : [:]
      do {
        _ = try SettingsLoader.load(
          for: program.program, arguments: [], environment: variables, file: file)
      } catch {
        StandardError.write("\(error)")
        throw ExitCode(1)
      }
      print("\(PlainLine.clean(file)) is valid")
    }
  }
}

extension ConfigCommand {
  /// Writes a file of settings to start from.
  struct Defaults: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "defaults", abstract: "Print a file of all settings with their defaults.")

    @Option(help: ArgumentHelp("Whose settings: gateway or unfurl.", valueName: "program"))
    var program = ProgramName.gateway

    func run() {
      print(SettingsReference.defaultsFile(of: program.program), terminator: "")
    }
  }
}

/// Whose settings are meant.
enum ProgramName: String, ExpressibleByArgument, CaseIterable {
  case gateway
  case unfurl

  /// The program with its table of settings.
  var program: Program {
    switch self {
    case .gateway: .gateway
    case .unfurl: .unfurlService
    }
  }
}
