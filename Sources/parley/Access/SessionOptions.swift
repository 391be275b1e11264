internal import ArgumentParser
internal import ParleyClient

/// Who opens a session, and where.
struct SessionOptions: ParsableArguments {
  /// How long a gateway that does not answer is tried.
  private static let patience = Duration.seconds(10)

  @OptionGroup var server: ServerOptions

  @Option(
    help: ArgumentHelp(
      "Who is connecting; else PARLEY_CLI_USER, else the profile's user.", valueName: "user id"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "The user's access token, where the gateway asks for one; else PARLEY_CLI_TOKEN, else the "
        + "profile's token.", valueName: "token"))
  var accessToken: String?

  /// A client with an open session.
  func connect() async throws -> ParleyClient {
    let flags = AccessValues.Flags(user: user, accessToken: accessToken)
    let values = try server.values(flags)
    guard let userID = values.user else {
      throw ValidationError("no user: give --user, set PARLEY_CLI_USER, or name one in a profile")
    }
    let address = try ServerOptions.address(values.server)
    var configuration = ParleyClientConfiguration(serverURL: address.webSocketURL)
    let route = try NetworkRoute(to: address, authorityFile: values.caCertificate)
    configuration.tls.authorityPaths = route.authorityFile.map { [$0] } ?? []
    configuration.proxyURL = route.proxyURL
    configuration.connectTimeout = Self.patience
    configuration.maximumMessageBytes = 16_777_216
    configuration.userAgent = "parley-cli"
    let client = ParleyClient(configuration: configuration)
    do throws(ParleyError) {
      try await client.connect(userID: userID, accessToken: values.accessToken)
    } catch {
      throw CommandFailure(error, connectingTo: address.httpBase)
    }
    return client
  }
}
