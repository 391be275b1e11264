internal import ArgumentParser
internal import Basics
internal import Configuration
internal import Reactor

/// Options for the settings of the gateway on this machine.
struct SettingsOptions: ParsableArguments {
  private static let environmentPath = "/proc/self/environ"
  private static let environmentByteCount = 4_194_304

  @Option(
    help: ArgumentHelp(
      "The gateway's settings file. (default: PARLEY_CONFIG)", valueName: "file"),
    completion: .file())
  var config: String?

  /// Reads the settings from the file and from the environment, as the gateway does.
  func settings() throws -> Settings {
    do throws(SettingsError) { return try Self.settings(file: config) } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Reads the settings from a file and from the environment.
  ///
  /// - Parameter file: `nil` for the file named by the environment.
  static func settings(file: String?) throws(SettingsError) -> Settings {
    try SettingsLoader.load(for: .gateway, arguments: [], environment: environment, file: file)
  }

  /// The variables of the gateway; those of this program have different names.
  private static var environment: [String: String] {
    let bytes = (try? FileContents.read(environmentPath, atMost: environmentByteCount)) ?? []
    var variables: [String: String] = [:]
    for line in bytes.split(separator: 0) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: line[..<equals], as: UTF8.self)
      guard name.hasPrefix("PARLEY_"), !name.hasPrefix("PARLEY_CLI_") else { continue }
      variables[name] = String(decoding: line[(equals + 1)...], as: UTF8.self)
    }
    return variables
  }
}
