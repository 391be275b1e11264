import Basics
import HTTP
@testable import Transport

/// Reads what proxies say of a client: `Forwarded`, `X-Forwarded-For` and single addresses.
///
/// Whatever a client wrote before, what the trusted proxy appended decides.
enum ForwardedClientHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(
      decoding: input.filter(HTTPSyntax.isFieldByte), as: UTF8.self)
    checkAddress(String(decoding: input, as: UTF8.self))
    guard let peer = PeerAddress(host: "10.0.0.1"), let told = PeerAddress(host: "192.0.2.1"),
      let range = try? Network(parsing: "10.0.0.0/8")
    else { preconditionFailure("addresses are not read") }
    for (field, name, element) in [
      (ForwardingRules.Field.forwarded, "Forwarded", "for=192.0.2.1"),
      (.xForwardedFor, "X-Forwarded-For", "192.0.2.1"),
    ] {
      let rules = ForwardingRules(field: field, trusted: [range])
      let alone = rules.client(of: [name: text], from: peer)
      if let alone { checkAddress(alone.host) }
      precondition(rules.client(of: [name: text], from: told) == nil, "a stranger is believed")
      let appended: HTTPFields = [name: text + ", " + element]
      precondition(rules.client(of: appended, from: peer) == told, "the client's text decides")
      var separate: HTTPFields = [name: text]
      separate.append(name, element)
      precondition(rules.client(of: separate, from: peer) == told, "the client's field decides")
    }
  }

  private static func checkAddress(_ text: String) {
    guard let address = PeerAddress(host: text, port: 80) else { return }
    precondition(PeerAddress(host: address.host, port: 80) == address)
    precondition(!text.utf8.contains(0), "text after a zero byte is passed over")
    if let network = try? Network(parsing: text) { precondition(network.contains(address)) }
    _ = ForwardedNode.read(text)
  }
}
