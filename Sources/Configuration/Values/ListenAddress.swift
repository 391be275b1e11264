package import Basics

/// An address to listen on in a setting: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  package let address: IPAddress
  /// The port; 0 makes the kernel choose a free one.
  package let port: UInt16

  static let expectation =
    "a numeric address or localhost with a port, such as 127.0.0.1:8080 or [::]:8080"

  package init(_ address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Parses an address and a port; `localhost` is the only name accepted, and means 127.0.0.1.
  package init?(_ text: String) {
    guard let endpoint = Endpoint(text) else { return nil }
    switch endpoint.host {
    case .address(let address): self.init(address, port: endpoint.port)
    case .name("localhost"): self = .loopback(port: endpoint.port)
    case .name: return nil
    }
  }

  /// The IPv4 loopback address of this machine, which no other machine can reach.
  package static func loopback(port: UInt16) -> ListenAddress {
    ListenAddress(.v4(0x7f00_0001), port: port)
  }

  /// Whether only processes of this machine can connect to the address.
  package var isLoopback: Bool { address.isLoopback }

  package var description: String {
    Endpoint(host: .address(address), port: port).description
  }
}
