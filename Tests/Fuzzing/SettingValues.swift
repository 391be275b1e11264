// sources: Sources/Configuration/Values/*.swift
import Basics

#if canImport(Configuration)
  @testable import Configuration
#endif

/// Reads any text as the values of settings; what is accepted reads back as itself.
enum SettingValuesHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let address = ListenAddress(text) {
      precondition(ListenAddress(address.description) == address)
      precondition(!text.utf8.contains(0), "text after a zero byte is passed over")
    }
    if let endpoint = Endpoint(text) { precondition(Endpoint(endpoint.description) == endpoint) }
    if let network = try? Network(parsing: text) {
      precondition((try? Network(parsing: network.description)) == network)
      precondition(!text.utf8.contains(0))
    }
    if let origin = OriginText.read(text) { precondition(OriginText.read(origin) == origin) }
    if let value = HeaderText.read(text) {
      precondition(value.utf8.allSatisfy { (0x20...0x7e).contains($0) })
    }
    if let url = RedisURL(text) {
      precondition(RedisURL(url.description)?.endpoint == url.endpoint)
    }
    _ = (StoreURLText.read(text), ClusterNameText.read(text))
    _ = (ServiceURLText.read(text), WebhookURLText.read(text), ToggleText.read(text))
  }
}
