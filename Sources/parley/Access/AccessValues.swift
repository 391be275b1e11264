/// How to reach a gateway, put together from flags, environment and profile, which decide in this
/// order.
struct AccessValues: Equatable {
  /// What is given on the command line.
  struct Flags: Equatable {
    var server: String?
    var apiToken: String?
    var apiTokenFile: String?
    var user: String?
    var accessToken: String?
    var caCertificate: String?
  }

  /// Where the token of the Platform API comes from.
  enum APIToken: Equatable {
    case text(String)
    case file(String)
    /// The first of ``standardTokenFiles`` that there is.
    case standardFile
  }

  static let standardServer = "http://127.0.0.1:8080"
  /// Of a gateway started in the working directory, and of the Debian package's.
  static let standardTokenFiles = ["parley-data/api-token", "/var/lib/parley/api-token"]

  let server: String
  let apiToken: APIToken
  let user: String?
  let accessToken: String?
  /// A PEM file of authorities that are trusted beside the system's.
  let caCertificate: String?

  /// - Parameter environment: Its variables; one that is empty counts as not set.
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
