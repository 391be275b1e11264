import Basics
import Glibc
@testable import LinkPreview

/// Reads any text as a URL, absolute and relative, as a host, an address and a network.
///
/// What is accepted is in its normal form, which reads back as itself; addresses are those that the
/// C library reads, and no notation leads around the address policy.
enum WebAddressHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let url = WebURL(text) { check(url) }
    if let base = WebURL("https://a.example/b/c?d#e"), let url = WebURL(text, relativeTo: base) {
      check(url)
    }
    if let link = Link(text) { precondition(Link(link.url) == link) }
    checkAddress(text)
    if let network = try? Network(parsing: text) {
      precondition(network.contains(network.address))
      let copy = try? Network(parsing: "\(network.address)/\(network.prefixLength)")
      precondition(copy == network)
    }
    if let ports = PortPolicy.range(text) {
      precondition(PortPolicy.range(PortPolicy.text(ports)) == ports)
      precondition(PortPolicy([ports]).permits(ports.lowerBound))
    }
    _ = try? DomainList.parse(input)
    var domains = DomainSet()
    if (try? domains.insert(text)) != nil { precondition(domains.count == 1) }
  }

  private static func check(_ url: WebURL) {
    precondition(WebURL(url.text) == url, "the URL is not in its normal form")
    precondition(url.text.utf8.count <= WebURL.maximumLength)
    precondition(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
    precondition(url.path.hasPrefix("/") && !url.path.contains("\\") && url.port > 0)
    precondition(!url.siteKey.isEmpty && url.siteKey == WebURL(url.text)?.siteKey)
    switch url.host {
    case .name(let name):
      precondition(name.utf8.count <= 253 && name == name.lowercased())
      // A name that any resolver takes for an address would not be judged as one.
      var address = in_addr()
      precondition(inet_aton(name, &address) == 0, "an address passes for a name")
    case .address(let address): precondition(IPAddress("\(address)") == address)
    }
  }

  /// The C library's reading is the same, but for zones and what follows a zero byte.
  private static func checkAddress(_ text: String) {
    guard !text.utf8.contains(0) else { return precondition(IPAddress(text) == nil) }
    var (v4, v6) = (in_addr(), in6_addr())
    var expected: IPAddress?
    if inet_pton(AF_INET, text, &v4) == 1 {
      expected = .v4(UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      let bits = withUnsafeBytes(of: v6) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
      expected = .v6(bits)
    }
    precondition(IPAddress(text) == expected, "another address than the C library's")
    guard let expected else { return }
    precondition(IPAddress("\(expected)") == expected)
    let policy = AddressPolicy()
    if case .v4(let bits) = expected {
      for wrapped in [UInt128(0xffff) << 32 | UInt128(bits), (0x2002 << 112) | UInt128(bits) << 80]
      {
        precondition(policy.permits(.v6(wrapped)) == policy.permits(expected), "wrapping matters")
      }
    }
  }
}
