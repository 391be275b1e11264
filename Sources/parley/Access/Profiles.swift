internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import Glibc
internal import Yams

/// What a profile says of a gateway and its user; each part may be missing.
struct Profile: Equatable {
  var server: String?
  var apiToken: String?
  var apiTokenFile: String?
  var user: String?
  var token: String?
  var caCertificate: String?
}

/// What is wrong with a file of profiles.
struct ProfileError: Error, Equatable, CustomStringConvertible {
  let description: String
}

/// Named profiles in YAML or JSON.
///
///     default:
///       server: https://chat.example.com
///       api_token_file: /etc/parley/api-token
///       user: ada
enum ProfileFile {
  private static let keys: [String: any WritableKeyPath<Profile, String?> & Sendable] = [
    "server": \.server, "api_token": \.apiToken, "api_token_file": \.apiTokenFile,
    "user": \.user, "token": \.token, "ca_certificate": \.caCertificate,
  ]

  /// Reads all profiles of a file.
  static func parse(_ text: String) throws(ProfileError) -> [String: Profile] {
    // An alias may stand for much; no file of profiles needs one.
    guard text.utf8.count <= SettingsFile.maximumBytes, !text.contains("*") || !text.contains("&")
    else { throw ProfileError(description: "it is too large, or has aliases") }
    let root: Node?
    do {
      root = try Parser(yaml: text, encoding: .utf8).singleRoot()
    } catch {
      throw ProfileError(description: "it is not valid YAML")
    }
    guard let root else { return [:] }
    guard case .mapping(let mapping) = root else {
      throw ProfileError(description: "names of profiles are expected, with their values")
    }
    var profiles: [String: Profile] = [:]
    for (name, value) in mapping {
      guard case .scalar(let scalar) = name else {
        throw ProfileError(description: "texts are expected as names of profiles")
      }
      profiles[scalar.string] = try profile(value, named: scalar.string)
    }
    return profiles
  }

  private static func profile(
    _ node: Node, named name: String
  ) throws(ProfileError) -> Profile {
    let shown = PlainLine.clean(name, limit: 40)
    guard case .mapping(let mapping) = node else {
      throw ProfileError(description: "\(shown): server, api_token … are expected below it")
    }
    var profile = Profile()
    for (key, value) in mapping {
      guard case .scalar(let keyText) = key, let path = keys[keyText.string] else {
        throw ProfileError(
          description: "\(shown): \(PlainLine.clean(key.string ?? "?", limit: 40)) is unknown; "
            + "known are \(keys.keys.sorted().joined(separator: ", "))")
      }
      guard case .scalar(let text) = value else {
        throw ProfileError(description: "\(shown).\(keyText.string): a text is expected")
      }
      profile[keyPath: path] = text.string.isEmpty ? nil : text.string
    }
    return profile
  }

  /// Whether a file's mode lets others than its owner read it.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }
}

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
      let known = profiles.keys.sorted().map { PlainLine.clean($0, limit: 40) }
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
