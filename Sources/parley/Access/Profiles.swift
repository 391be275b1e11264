internal import Basics
internal import ArgumentParser
internal import Configuration
internal import Reactor

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
    let bytes = Array(text.utf8)
    guard bytes.count <= SettingsFile.maximumBytes else {
      throw ProfileError(
        description: "the file is larger than \(SettingsFile.maximumBytes) bytes")
    }
    let root: YAMLNode?
    do throws(YAMLProblem) {
      root = try YAMLDocument.root(of: bytes)
    } catch {
      let place = error.line.map { "line \($0): " } ?? ""
      throw ProfileError(description: "the file is not valid YAML: \(place)\(error.explanation)")
    }
    guard let root else { return [:] }
    guard case .mapping(let mapping) = root.content else {
      throw ProfileError(
        description: "a mapping from names of profiles to their values is expected")
    }
    var profiles: [String: Profile] = [:]
    for member in mapping {
      guard let name = member.key.text else {
        throw ProfileError(description: "profile names must be texts")
      }
      profiles[name] = try profile(member.value, named: name)
    }
    return profiles
  }

  private static func profile(
    _ node: YAMLNode, named name: String
  ) throws(ProfileError) -> Profile {
    let shown = DisplayText.shortened(name, limit: 40)
    guard case .mapping(let mapping) = node.content else {
      throw ProfileError(description: "\(shown): server, api_token … are expected, as a mapping")
    }
    var profile = Profile()
    for member in mapping {
      guard let key = member.key.text, let path = keys[key] else {
        throw ProfileError(
          description:
            "\(shown): \(DisplayText.shortened(member.key.text ?? "?", limit: 40)) is unknown; "
            + "known are \(keys.keys.sorted().joined(separator: ", "))")
      }
      guard let text = member.value.text else {
        throw ProfileError(description: "\(shown).\(key): a text is expected")
      }
      profile[keyPath: path] = text.isEmpty ? nil : text
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

  /// Returns the chosen profile; an empty one if there is neither a choice nor a default.
  func chosen(_ environment: [String: String]) throws -> Profile {
    let given = environment.filter { !$0.value.isEmpty }
    let wanted = profile ?? given["PARLEY_CLI_PROFILE"]
    let named = profileFile ?? given["PARLEY_CLI_PROFILE_FILE"]
    let path = named ?? Self.standardPath(environment)
    guard LocalFile.exists(path) else {
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
    return (home ?? LocalFile.homeDirectory(environment) + "/.config") + "/parley/profiles.yaml"
  }

  private func read(_ path: String) throws -> [String: Profile] {
    guard let text = LocalFile.text(at: path, atMost: SettingsFile.maximumBytes + 1) else {
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
