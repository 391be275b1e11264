internal import ArgumentParser
internal import Foundation

/// Which gateway is meant.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The gateway's address; else PARLEY_CLI_SERVER, else the profile's, "
        + "else \(AccessValues.standardServer).",
      valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "A PEM file of authorities to trust beside the system's; else PARLEY_CLI_CA_CERTIFICATE, else "
        + "the profile's ca_certificate.", valueName: "file"),
    completion: .file())
  var caCertificate: String?

  @OptionGroup var profiles: ProfileOptions

  /// Adds what environment and profile say to what flags say.
  func values(_ flags: AccessValues.Flags) throws -> AccessValues {
    let environment = ProcessInfo.processInfo.environment
    var flags = flags
    flags.server = server
    flags.caCertificate = caCertificate
    return AccessValues(
      flags, environment: environment, profile: try profiles.chosen(environment))
  }

  static func address(_ text: String) throws -> ServerAddress {
    guard let address = ServerAddress(text) else {
      throw ValidationError(
        "the gateway's address is \"\(text)\"; an http or https URL is expected, "
          + "such as \(AccessValues.standardServer)")
    }
    return address
  }
}
