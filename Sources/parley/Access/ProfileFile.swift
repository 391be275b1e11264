internal import Bytes
internal import Configuration
internal import Glibc
internal import Yams

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
    let shown = DisplayText.shortened(name, limit: 40)
    guard case .mapping(let mapping) = node else {
      throw ProfileError(description: "\(shown): server, api_token … are expected below it")
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

  /// Whether a file's mode lets others than its owner read it.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }
}
