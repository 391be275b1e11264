internal import ArgumentParser
internal import Foundation

/// Which gateway is asked, and with what token.
struct GatewayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The gateway's address; else PARLEY_CLI_SERVER, else http://127.0.0.1:8080.",
      valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "The API token; else PARLEY_CLI_API_TOKEN, else what --api-token-file holds.",
      valueName: "token"))
  var apiToken: String?

  @Option(
    help: ArgumentHelp("The file with the API token that a gateway made.", valueName: "file"))
  var apiTokenFile = "parley-data/api-token"

  /// The client for that gateway.
  func client() throws -> PlatformClient {
    let environment = ProcessInfo.processInfo.environment
    let base = server ?? environment["PARLEY_CLI_SERVER"] ?? "http://127.0.0.1:8080"
    guard let url = URLComponents(string: base), url.host?.isEmpty == false,
      url.scheme == "http" || url.scheme == "https"
    else {
      throw ValidationError(
        "the gateway's address is \"\(base)\"; an http or https URL is expected")
    }
    let token = try apiToken ?? environment["PARLEY_CLI_API_TOKEN"] ?? tokenFromFile()
    return PlatformClient(base: base, token: token)
  }

  private func tokenFromFile() throws -> String {
    guard let text = try? String(contentsOfFile: apiTokenFile, encoding: .utf8) else {
      throw ValidationError(
        "no API token: give --api-token, set PARLEY_CLI_API_TOKEN, or name the file with "
          + "--api-token-file (\(apiTokenFile) cannot be read)")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
