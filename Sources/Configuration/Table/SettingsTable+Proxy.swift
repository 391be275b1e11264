internal import Bytes

extension SettingsTable {
  static let network = "the first address of a network and its prefix length, such as 10.0.0.0/8"

  /// Proxies in front of the server.
  static let proxies: [SettingDefinition] = [
    .list(
      "proxy.listen", \.proxy.listen, expected: ListenAddress.expectation,
      help: "Addresses for proxies that begin with a PROXY header, version 1 or 2.",
      write: \.description, read: { ListenAddress($0) }),
    .choice(
      "proxy.field", \.proxy.field,
      help: "Field of requests in which trusted proxies name the client."),
    .list(
      "proxy.trusted", \.proxy.trusted, expected: network,
      help: "Networks of proxies whose forwarded client address is trusted.",
      write: \.description, read: { try? Network(parsing: $0) }),
  ]
}
