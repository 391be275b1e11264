internal import Basics
internal import ArgumentParser
internal import Configuration
internal import Reactor

/// Commands for settings files.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check settings files and print the default settings.",
    discussion: """
      EXAMPLES:
        parley config defaults > parley.yaml
        parley config check parley.yaml
        parley config check parley.yaml --program unfurl
      """,
    subcommands: [Check.self, Defaults.self])
}

extension ConfigCommand {
  /// Checks a settings file.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check a settings file as a server does at start.",
      discussion: """
        With --environment, variables named PARLEY_… override the file. All problems are printed, and \
        the exit status is then 1.
        """)

    @Argument(help: "The YAML or JSON file.")
    var file: String

    @Option(help: ArgumentHelp("The program: gateway or unfurl.", valueName: "program"))
    var program = ProgramName.gateway

    @Flag(help: "Include settings from the environment.")
    var environment = false

    func run() throws {
      let variables = environment ? ProcessEnvironment.variables : [:]
      do {
        _ = try SettingsLoader.load(
          for: program.program, arguments: [], environment: variables, file: file)
      } catch {
        StandardError.write("\(error)")
        throw ExitCode(1)
      }
      print("\(DisplayText.shortened(file)) is valid")
    }
  }
}

extension ConfigCommand {
  /// Prints the default settings.
  struct Defaults: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "defaults",
      abstract: "Print a settings file with all settings and their defaults.")

    @Option(help: ArgumentHelp("The program: gateway or unfurl.", valueName: "program"))
    var program = ProgramName.gateway

    func run() {
      print(SettingsReference.defaultsFile(of: program.program), terminator: "")
    }
  }
}

/// A server program.
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
