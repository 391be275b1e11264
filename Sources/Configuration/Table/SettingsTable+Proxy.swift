internal import Basics

extension SettingsTable {
  static let network = "the first address of a network and its prefix length, such as 10.0.0.0/8"

  /// Settings for proxies in front of the server.
  static let proxies: [SettingDefinition] = [
    .list(
      "proxy.listen", \.proxy.listen, expected: ListenAddress.expectation,
      help: "Listen addresses for proxies that send a PROXY header, version 1 or 2.",
      write: \.description, read: { ListenAddress($0) }),
    .choice(
      "proxy.field", \.proxy.field,
      help: "Header field in which trusted proxies forward the client address."),
    .list(
      "proxy.trusted", \.proxy.trusted, expected: network,
      help: "Networks of proxies whose forwarded client address is trusted.",
      write: \.description, read: { try? Network(parsing: $0) }),
  ]
}
