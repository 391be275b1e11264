internal import Basics
internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import Reactor
internal import Yams

/// A profile of a gateway and its user; each value is optional.
struct Profile: Equatable {
  var server: String?
  var apiToken: String?
  var apiTokenFile: String?
  var user: String?
  var token: String?
  var caCertificate: String?
}

/// An error in a profile file.
struct ProfileError: Error, Equatable, CustomStringConvertible {
  let description: String
}

/// Parses named profiles in YAML or JSON.
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

  /// Parses all profiles of a file.
  static func parse(_ text: String) throws(ProfileError) -> [String: Profile] {
    // Aliases could expand to very large documents; profiles do not need them.
    guard text.utf8.count <= SettingsFile.maximumBytes, !text.contains("*") || !text.contains("&")
    else {
      throw ProfileError(
        description:
          "the file is larger than \(SettingsFile.maximumBytes) bytes or uses YAML aliases")
    }
    let root: Node?
    do {
      root = try Parser(yaml: text, encoding: .utf8).singleRoot()
    } catch {
      throw ProfileError(description: "the file is not valid YAML")
    }
    guard let root else { return [:] }
    guard case .mapping(let mapping) = root else {
      throw ProfileError(
        description: "a mapping from names of profiles to their values is expected")
    }
    var profiles: [String: Profile] = [:]
    for (name, value) in mapping {
      guard case .scalar(let scalar) = name else {
        throw ProfileError(description: "profile names must be texts")
      }
      profiles[scalar.string] = try profile(value, named: scalar.string)
    }
    return profiles
  }

  private static func profile(
    _ node: Node, named name: String
  ) throws(ProfileError) -> Profile {
    let shown = DisplayText.shortened(name, limit: 40)
    guard case .mapping(let mapping) = node else {
      throw ProfileError(description: "\(shown): server, api_token … are expected, as a mapping")
    }
    var profile = Profile()
    for (key, value) in mapping {
      guard case .scalar(let keyText) = key, let path = keys[keyText.string] else {
        throw ProfileError(
          description:
            "\(shown): \(DisplayText.shortened(key.string ?? "?", limit: 40)) is unknown; "
            + "known are \(keys.keys.sorted().joined(separator: ", "))")
      }
      guard case .scalar(let text) = value else {
        throw ProfileError(description: "\(shown).\(keyText.string): a text is expected")
      }
      profile[keyPath: path] = text.string.isEmpty ? nil : text.string
    }
    return profile
  }

  /// Whether users other than the owner may read a file.
  static func isReadableByOthers(_ path: String) -> Bool {
    PrivateFile.isOpenToOthers(path)
  }
}

/// Options for choosing a profile.
struct ProfileOptions: ParsableArguments {
  private static let standardName = "default"

  @Option(
    help: ArgumentHelp(
      "The profile. (default: PARLEY_CLI_PROFILE, or 'default' if it exists)",
      valueName: "name"))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "The profile file. (default: PARLEY_CLI_PROFILE_FILE or ~/.config/parley/profiles.yaml)",
      valueName: "file"), completion: .file())
  var profileFile: String?

  /// Returns the chosen profile; an empty one without a choice and a default.
  func chosen(_ environment: [String: String]) throws -> Profile {
    let given = environment.filter { !$0.value.isEmpty }
    let wanted = profile ?? given["PARLEY_CLI_PROFILE"]
    let named = profileFile ?? given["PARLEY_CLI_PROFILE_FILE"]
    let path = named ?? Self.standardPath(environment)
    guard FileManager.default.fileExists(atPath: path) else {
      guard wanted == nil, named == nil else {
        throw ValidationError("the profile file \(path) does not exist")
      }
      return Profile()
    }
    let profiles = try read(path)
    guard let profile = profiles[wanted ?? Self.standardName] else {
      guard let wanted else { return Profile() }
      let known = profiles.keys.sorted().map { DisplayText.shortened($0, limit: 40) }
      throw ValidationError(
        "\(path) has no profile '\(wanted)'; it has "
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
      StandardError.write(
        "Warning: other users may read the tokens in \(path); run chmod 600 \(path)")
    }
    do {
      return try ProfileFile.parse(text)
    } catch {
      throw ValidationError("\(path): \(error)")
    }
  }
}
