internal import ArgumentParser
internal import Bytes
internal import Configuration
internal import Foundation

/// Looks for mistakes in a file of settings.
struct CheckConfig: ParsableCommand {
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
    print("\(DisplayText.shortened(file)) is valid")
  }
}
