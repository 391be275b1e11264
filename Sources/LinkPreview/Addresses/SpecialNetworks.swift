import Basics

/// Networks that are not part of the public internet (IANA's special-purpose address registries).
enum SpecialNetworks {
  static let v4 = networks([
    "0.0.0.0/8",  // this network (RFC 1122)
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private (RFC 1918)
    "100.64.0.0/10",  // carrier-grade NAT (RFC 6598)
    "127.0.0.0/8",  // loopback
    "168.63.129.16/32",  // a cloud's host agent, reachable from its guests only
    "169.254.0.0/16",  // link-local (RFC 3927), metadata services
    "192.0.0.0/24",  // protocol assignments (RFC 6890)
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation (RFC 5737)
    "192.88.99.0/24",  // 6to4 relays (RFC 7526)
    "198.18.0.0/15",  // benchmarking (RFC 2544)
    "224.0.0.0/4",  // multicast
    "240.0.0.0/4",  // reserved, and broadcast
  ])

  /// All that is not in it is loopback, link-local, site-local, unique local, multicast, discard,
  /// or not assigned.
  static let globalUnicast = network("2000::/3")

  static let v6 = networks([
    "2001::/23",  // protocol assignments (RFC 2928): benchmarking, ORCHID and others
    "2001:db8::/32", "3fff::/20",  // documentation (RFC 3849, RFC 9637)
  ])

  private static func networks(_ texts: [String]) -> [Network] { texts.map(network) }

  private static func network(_ text: String) -> Network {
    do {
      return try Network(parsing: text)
    } catch {
      preconditionFailure("built-in network: \(error)")
    }
  }
}
