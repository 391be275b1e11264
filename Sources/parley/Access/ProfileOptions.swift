internal import ArgumentParser
internal import Bytes
internal import Foundation

/// Which profile is used.
struct ProfileOptions: ParsableArguments {
  private static let standardName = "default"

  @Option(
    help: ArgumentHelp(
      "The profile to use; else PARLEY_CLI_PROFILE, else 'default' if there is one.",
      valueName: "name"))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "The file with profiles; else PARLEY_CLI_PROFILE_FILE, else ~/.config/parley/profiles.yaml.",
      valueName: "file"), completion: .file())
  var profileFile: String?

  /// The profile that is asked for; an empty one when none is and there is no default.
  func chosen(_ environment: [String: String]) throws -> Profile {
    let given = environment.filter { !$0.value.isEmpty }
    let wanted = profile ?? given["PARLEY_CLI_PROFILE"]
    let named = profileFile ?? given["PARLEY_CLI_PROFILE_FILE"]
    let path = named ?? Self.standardPath(environment)
    guard FileManager.default.fileExists(atPath: path) else {
      guard wanted == nil, named == nil else {
        throw ValidationError("there is no file of profiles at \(path)")
      }
      return Profile()
    }
    let profiles = try read(path)
    guard let profile = profiles[wanted ?? Self.standardName] else {
      guard let wanted else { return Profile() }
      let known = profiles.keys.sorted().map { DisplayText.shortened($0, limit: 40) }
      throw ValidationError(
        "there is no profile '\(wanted)' in \(path); there is "
          + (known.isEmpty ? "none" : known.joined(separator: ", ")))
    }
    return profile
  }

  private static func standardPath(_ environment: [String: String]) -> String {
    let home = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (home ?? NSHomeDirectory() + "/.config") + "/parley/profiles.yaml"
  }

  private func read(_ path: String) throws -> [String: Profile] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("\(path) cannot be read")
    }
    if ProfileFile.isReadableByOthers(path) {
      StandardError.write("Warning: others may read the tokens in \(path); chmod 600 it")
    }
    do {
      return try ProfileFile.parse(text)
    } catch {
      throw ValidationError("\(path): \(error)")
    }
  }
}
