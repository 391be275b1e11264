internal import ArgumentParser
internal import ParleyClient
internal import Reactor
internal import ParleyProtocol

/// Options for calling the Platform API of a gateway.
struct GatewayOptions: ParsableArguments {
  /// The maximum number of bytes read from a token file.
  private static let tokenFileLimit = 65_536

  @OptionGroup var server: ServerOptions

  // A token may begin with a hyphen.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The API token. (default: PARLEY_CLI_API_TOKEN, the profile, or --api-token-file)",
      valueName: "token"))
  var apiToken: String?

  @Option(
    help: ArgumentHelp(
      "The file with the API token. (default: PARLEY_CLI_API_TOKEN_FILE, the profile, or "
        + "\(AccessValues.standardTokenFiles.joined(separator: " or ")))",
      valueName: "file"), completion: .file())
  var apiTokenFile: String?

  /// Returns a client for the gateway.
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
      guard let text = LocalFile.text(at: path, atMost: Self.tokenFileLimit) else { continue }
      return try checked(LocalFile.trimmed(text), from: path)
    }
    let unread =
      paths.count == 1
      ? "\(paths[0]) cannot be read" : "neither \(paths.joined(separator: " nor ")) can be read"
    throw ValidationError(
      "no API token: give --api-token, set PARLEY_CLI_API_TOKEN, or give its file with "
        + "--api-token-file (\(unread))")
  }

  /// Checks the token, which becomes part of a header field and must not contain a line break.
  private func checked(_ token: String, from source: String) throws -> String {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw ValidationError(
        "\(source) is not a valid token; visible ASCII characters without spaces are expected")
    }
    return token
  }
}

/// Options for the address of a gateway.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The gateway's URL. (default: PARLEY_CLI_SERVER, the profile, or "
        + "\(AccessValues.standardServer))",
      valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "A PEM file of certificate authorities to trust in addition to the system's. (default: "
        + "PARLEY_CLI_CA_CERTIFICATE or the profile)", valueName: "file"),
    completion: .file())
  var caCertificate: String?

  @OptionGroup var profiles: ProfileOptions

  /// Combines flags, environment and profile.
  func values(_ flags: AccessValues.Flags) throws -> AccessValues {
    let environment = ProcessEnvironment.variables
    var flags = flags
    flags.server = server
    flags.caCertificate = caCertificate
    return AccessValues(
      flags, environment: environment, profile: try profiles.chosen(environment))
  }

  static func address(_ text: String) throws -> ServerAddress {
    guard let address = ServerAddress(text) else {
      throw ValidationError(
        "the gateway's URL is \"\(text)\"; an http or https URL is expected, "
          + "such as \(AccessValues.standardServer)")
    }
    return address
  }
}

/// Options for opening a session.
struct SessionOptions: ParsableArguments {
  /// The time limit for connecting.
  private static let patience = Duration.seconds(10)

  @OptionGroup var server: ServerOptions

  @Option(
    help: ArgumentHelp(
      "The user id. (default: PARLEY_CLI_USER or the profile)", valueName: "user id"))
  var user: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The user's access token, if the gateway requires one. (default: PARLEY_CLI_TOKEN or the "
        + "profile)", valueName: "token"))
  var accessToken: String?

  @Option(
    help: ArgumentHelp(
      "How to reach the gateway: automatic (a WebSocket, or a stream where WebSockets are blocked), "
        + "websocket or stream.", valueName: "transport"))
  var transport = TransportArgument.automatic

  /// Opens a session for channels of a kind and returns its client.
  func connect(for kind: ChannelKind) async throws -> ParleyClient {
    let flags = AccessValues.Flags(user: user, accessToken: accessToken)
    let values = try server.values(flags)
    guard let userID = values.user else {
      throw ValidationError("no user: give --user, set PARLEY_CLI_USER, or set user in a profile")
    }
    let address = try ServerOptions.address(values.server)
    var configuration = ParleyClientConfiguration(serverURL: address.webSocketURL)
    let route = try NetworkRoute(to: address, authorityFile: values.caCertificate)
    configuration.tls.authorityPaths = route.authorityFile.map { [$0] } ?? []
    configuration.proxyURL = route.proxyURL
    configuration.transport = transport.option
    configuration.connectTimeout = Self.patience
    configuration.maximumMessageBytes = 16_777_216
    configuration.userAgent = "parley-cli"
    configuration.receivesGroupEvents = kind == .group
    let client = ParleyClient(configuration: configuration)
    do throws(ParleyError) {
      try await client.connect(userID: userID, accessToken: values.accessToken)
    } catch {
      throw CommandFailure(error, connectingTo: address.httpBase)
    }
    return client
  }
}

/// The values for reaching a gateway: from flags, environment and profile, in this order of
/// precedence.
struct AccessValues: Equatable {
  /// The values given on the command line.
  struct Flags: Equatable {
    var server: String?
    var apiToken: String?
    var apiTokenFile: String?
    var user: String?
    var accessToken: String?
    var caCertificate: String?
  }

  /// The source of the API token.
  enum APIToken: Equatable {
    case text(String)
    case file(String)
    /// The first existing file of ``standardTokenFiles``.
    case standardFile
  }

  static let standardServer = "http://127.0.0.1:8080"
  /// The token files of a gateway started in the working directory and of the Debian package.
  static let standardTokenFiles = ["parley-data/api-token", "/var/lib/parley/api-token"]

  let server: String
  let apiToken: APIToken
  let user: String?
  let accessToken: String?
  /// A PEM file of certificate authorities trusted in addition to the system's.
  let caCertificate: String?

  /// - Parameter environment: The environment; empty variables count as not set.
  init(_ flags: Flags, environment: [String: String], profile: Profile) {
    func variable(_ name: String) -> String? {
      environment["PARLEY_CLI_" + name].flatMap { $0.isEmpty ? nil : $0 }
    }
    server = flags.server ?? variable("SERVER") ?? profile.server ?? Self.standardServer
    user = flags.user ?? variable("USER") ?? profile.user
    accessToken = flags.accessToken ?? variable("TOKEN") ?? profile.token
    caCertificate = flags.caCertificate ?? variable("CA_CERTIFICATE") ?? profile.caCertificate
    let choices: [APIToken?] = [
      flags.apiToken.map(APIToken.text), flags.apiTokenFile.map(APIToken.file),
      variable("API_TOKEN").map(APIToken.text), variable("API_TOKEN_FILE").map(APIToken.file),
      profile.apiToken.map(APIToken.text), profile.apiTokenFile.map(APIToken.file),
    ]
    apiToken = choices.lazy.compactMap { $0 }.first ?? .standardFile
  }
}
