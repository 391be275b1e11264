internal import ArgumentParser
internal import Foundation

/// Which gateway is asked, and with what token.
struct GatewayOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions

  @Option(
    help: ArgumentHelp(
      "The API token; else PARLEY_CLI_API_TOKEN, else the profile's, else what --api-token-file holds.",
      valueName: "token"))
  var apiToken: String?

  @Option(
    help: ArgumentHelp(
      "The file with the API token that a gateway made; else PARLEY_CLI_API_TOKEN_FILE, else the "
        + "profile's, else \(AccessValues.standardTokenFiles.joined(separator: " or ")).",
      valueName: "file"), completion: .file())
  var apiTokenFile: String?

  /// The client for that gateway.
  func client() throws -> PlatformClient {
    let flags = AccessValues.Flags(apiToken: apiToken, apiTokenFile: apiTokenFile)
    let values = try server.values(flags)
    let address = try ServerOptions.address(values.server)
    return try PlatformClient(
      base: address.httpBase, token: token(values.apiToken),
      route: NetworkRoute(to: address, authorityFile: values.caCertificate))
  }

  private func token(_ source: AccessValues.APIToken) throws -> String {
    switch source {
    case .text(let token): try checked(token, from: "the API token")
    case .file(let path): try token(inFirstOf: [path])
    case .standardFile: try token(inFirstOf: AccessValues.standardTokenFiles)
    }
  }

  private func token(inFirstOf paths: [String]) throws -> String {
    for path in paths {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      return try checked(text.trimmingCharacters(in: .whitespacesAndNewlines), from: path)
    }
    throw ValidationError(
      "no API token: give --api-token, set PARLEY_CLI_API_TOKEN, or name the file with "
        + "--api-token-file (\(paths.joined(separator: " or ")) cannot be read)")
  }

  /// It becomes part of a header field, where a line break would begin another.
  private func checked(_ token: String, from source: String) throws -> String {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw ValidationError("\(source) is not one word of visible ASCII characters")
    }
    return token
  }
}
