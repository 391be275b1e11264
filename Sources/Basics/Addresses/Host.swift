/// The host of a URL, a request or a listener: a name or an address.
package enum Host: Sendable, Hashable {
  /// A name in lower case.
  case name(String)
  /// An address, in whatever notation it was written.
  case address(IPAddress)

  /// The host as it stands in a URL, an IPv6 address in brackets.
  package var text: String {
    switch self {
    case .name(let name): name
    case .address(let address):
      switch address {
      case .v4: address.description
      case .v6: "[\(address)]"
      }
    }
  }

  /// Whether the host means this machine: `localhost`, a name below it, or a loopback address.
  package var isLoopback: Bool {
    switch self {
    case .name(let name):
      let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
      return bare == "localhost" || bare.hasSuffix(".localhost")
    case .address(let address): return address.isLoopback
    }
  }
}
