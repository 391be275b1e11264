internal import Basics
internal import Configuration
internal import ParleyProtocol
internal import Reactor

extension CommandFailure {
  /// Whether the metrics may be served at another address: the gateway has no such path at this
  /// one, or a proxy in front of the gateway responded.
  var mayBeElsewhere: Bool {
    switch self {
    case .refused(_, let code): code == Self.noSuchEndpoint
    case .unreachable: true
    case .unwritable: false
    }
  }
}

/// Finds the metrics URL of a gateway that does not serve metrics at its own address.
struct MetricsPlace {
  /// The settings of the Debian package.
  private static let standardSettings = "/etc/parley/parley.yaml"

  /// The address used to call the gateway.
  let server: ServerAddress

  /// Returns the URL of metrics on one of the addresses of `operations.listen`.
  ///
  /// For a listener on all interfaces, the host of the gateway is used. A listener on a single
  /// machine is only reachable from that machine.
  ///
  /// - Throws: The reason why no address is reachable.
  func url(listening addresses: [ListenAddress]) throws(CommandFailure) -> String {
    let urls = addresses.compactMap(reachableURL)
    if let url = urls.first { return url }
    let shown = addresses.map(\.description).joined(separator: ", ")
    throw .refused(
      addresses.isEmpty
        ? "\(server.httpBase) serves no metrics to other machines, and its operations.listen is not "
          + "set; run parley top on the gateway's machine with its own address as --server, or set it"
        : "\(server.httpBase) serves its metrics on its operations.listen, \(shown), which cannot be "
          + "reached from this machine; run parley top on the gateway's machine, or forward the port "
          + "and give its URL as --metrics", code: 0)
  }

  private func reachableURL(_ listen: ListenAddress) -> String? {
    // The actual port of a running gateway is not in its settings.
    guard listen.port != 0 else { return nil }
    if listen.isLoopback, !server.isOnThisMachine { return nil }
    guard ["0.0.0.0", "::"].contains(listen.address.description) else {
      return "http://\(listen)/metrics"
    }
    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
    return "http://\(host):\(listen.port)/metrics"
  }

  /// Reads the addresses from the settings of a running gateway.
  static func addresses(of client: PlatformClient) throws -> [ListenAddress] {
    let answer = try client.call("GET", "/v3/parley/settings")
    let settings = try OutputOptions.root(of: answer).list("settings")
    let setting = settings.first { $0.text("name") == "operations.listen" }
    return (setting?.text("value") ?? "").split(separator: ",").compactMap {
      ListenAddress(String($0))
    }
  }

  /// Reads the addresses from the environment and the settings file on this machine: that of
  /// `PARLEY_CONFIG`, or else that of the Debian package.
  ///
  /// - Returns: `nil` if there are no readable settings with addresses.
  static func addressesOnThisMachine() -> [ListenAddress]? {
    let environment = ProcessEnvironment.variables
    let usesStandard =
      (environment["PARLEY_CONFIG"] ?? "").isEmpty && LocalFile.exists(standardSettings)
    let settings = try? SettingsOptions.settings(file: usesStandard ? standardSettings : nil)
    return settings.flatMap { $0.operations.listen.isEmpty ? nil : $0.operations.listen }
  }
}
