internal import ArgumentParser
internal import Configuration

/// Writes a file of settings to start from.
struct PrintDefaults: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "defaults", abstract: "Print a file of all settings with their defaults.")

  @Option(help: ArgumentHelp("Whose settings: gateway or unfurl.", valueName: "program"))
  var program = ProgramName.gateway

  func run() {
    print(SettingsReference.defaultsFile(of: program.program), terminator: "")
  }
}
