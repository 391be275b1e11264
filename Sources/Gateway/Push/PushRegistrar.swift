import Basics
import Configuration
import Crypto
import LinkPreview
import ParleyProtocol
import Push
import PushDelivery
import Reactor
import Synchronization

/// Judges the calls about pushes before the store takes them, on all shards of this server together.
final class PushRegistrar: Sendable {
  /// The types of tokens that can be registered.
  let types: [PushTokenType]
  /// The key that signs pushes to browsers; `nil` when none are sent.
  let webKey: PrivateKey?
  private let addresses: AddressPolicy
  private let ports: PortPolicy
  private let rates = UserRates(perSecond: Limits.pushCallsPerSecond)
  private let zones = Mutex(TimeZoneTable())

  init(_ settings: PushSettings, webKey: PrivateKey? = nil) {
    types = settings.types
    self.webKey = webKey
    addresses = AddressPolicy(allowing: settings.allowedNetworks)
    ports = PortPolicy(settings.allowedPorts)
  }

  /// Whether pushes of any type are sent.
  var isOn: Bool { !types.isEmpty }

  /// The key that browsers subscribe with (`applicationServerKey`), in base64url; `nil` when no pushes to
  /// browsers are sent.
  var applicationServerKey: String? { webKey?.publicPoint.map { Base64URL.encode($0) } }

  /// Counts a call of a user.
  ///
  /// - Throws: 500910.
  func admit(_ userID: String, at now: Int64) throws(ServiceError) {
    guard let wait = rates.admit(userID, at: now) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: Limits.pushCallsPerSecond, window: 1_000, scope: "user")
  }

  /// - Throws: 400111 for a type that is not pushed to, a key that is not on its curve, or the endpoint of a
  ///   service that may not be called.
  func check(_ registration: PushRegister) throws(ServiceError) {
    try check(registration.type)
    switch registration.address {
    case .token: break
    case .subscription(let subscription):
      guard P256Point(subscription.publicKey) != nil else { throw .pushKeyNotOnCurve }
      try checkEndpoint(subscription.endpoint)
    }
  }

  /// - Throws: 400111 for a type that is not pushed to.
  func check(_ type: PushTokenType) throws(ServiceError) {
    guard types.contains(type) else { throw .unsetPushType(type) }
  }

  /// Judges by the text alone: the addresses of a name are judged when it is called.
  private func checkEndpoint(_ endpoint: String) throws(ServiceError) {
    guard let url = WebURL(endpoint), url.scheme == .https else {
      throw .invalid("endpoint", endpoint, expected: "a URL of https")
    }
    guard ports.permits(url.port) else {
      throw .invalid("endpoint", endpoint, expected: "a port of push services, such as 443")
    }
    let isAllowed =
      switch url.host {
      case .address(let address): addresses.permits(address)
      // A local name stands for this machine.
      case .name:
        !url.host.isLoopback || addresses.permits(.v4(0x7f00_0001)) || addresses.permits(.v6(1))
      }
    guard isAllowed else {
      throw .invalid("endpoint", endpoint, expected: "a host of the public internet")
    }
  }

  /// - Throws: 400111 for a time zone that does not exist.
  func check(_ change: PushPreferencesChange) throws(ServiceError) {
    guard let name = change.timeZone else { return }
    let exists = zones.withLock { zones in
      zones.zone(name, reading: TimeZoneFiles.read) != nil
    }
    guard exists else { throw .unknownTimeZone(name) }
  }
}

extension PushRegistrar {
  /// Writes the members of `features.push`.
  func encodeFeatures(into writer: inout JSONWriter) {
    writer.member("types", types.map(\.rawValue))
    writer.member("web_key", ifKnown: applicationServerKey)
  }
}
