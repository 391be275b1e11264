import Basics
import Configuration
import Crypto
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Judging calls about pushes")
struct PushRegistrarTests {
  private static let point = PrivateKey.generateP256().publicPoint ?? []

  private static func registrar(_ adjust: (inout PushSettings) -> Void = { _ in }) -> PushRegistrar
  {
    var settings = Settings().push
    settings.isWebOn = true
    adjust(&settings)
    return PushRegistrar(settings, webKey: .generateP256())
  }

  private static func subscription(
    _ endpoint: String, point: [UInt8] = point
  ) -> PushRegister {
    PushRegister(
      .web,
      .subscription(
        WebPushSubscription(
          endpoint: endpoint, publicKey: point, secret: [UInt8](repeating: 1, count: 16))))
  }

  private static func refusal(
    _ registration: PushRegister, by registrar: PushRegistrar
  ) -> String? {
    do throws(ServiceError) {
      try registrar.check(registration)
      return nil
    } catch {
      return error.data.field
    }
  }

  @Test("types that are not pushed to are refused")
  func types() {
    let registrar = Self.registrar { $0.fcm.serviceAccount = "account.json" }
    #expect(registrar.types == [.web, .gcm] && registrar.isOn)
    #expect(Self.refusal(PushRegister(.gcm, .token("a")), by: registrar) == nil)
    for type in [PushTokenType.apns, .huawei] {
      #expect(Self.refusal(PushRegister(type, .token("ab")), by: registrar) == "type")
    }
    #expect(!PushRegistrar(Settings().push).isOn)
  }

  @Test("a public key must be a point of its curve")
  func points() {
    let registrar = Self.registrar()
    #expect(Self.refusal(Self.subscription("https://a.example/"), by: registrar) == nil)
    var point = Self.point
    point[64] ^= 1
    #expect(
      Self.refusal(Self.subscription("https://a.example/", point: point), by: registrar)
        == "p256dh")
  }

  @Test(
    "endpoints that are certainly not of the public internet are refused",
    arguments: [
      "https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://localhost/",
      "https://LOCALHOST./", "https://x.localhost/", "https://10.1.2.3/", "https://[fe80::1]/",
      "https://169.254.169.254/", "https://[::ffff:10.0.0.1]/", "https://a.example:444/",
      "http://a.example/", "https://[64:ff9b::7f00:1]/",
    ])
  func endpoints(endpoint: String) {
    #expect(Self.refusal(Self.subscription(endpoint), by: Self.registrar()) == "endpoint")
  }

  @Test("networks and ports that the settings permit are accepted")
  func permitted() throws {
    let loopback = try Network(parsing: "127.0.0.0/8")
    let registrar = Self.registrar {
      $0.allowedNetworks = [loopback]
      $0.allowedPorts = [8000...8099]
    }
    for endpoint in ["https://127.0.0.1:8000/", "https://localhost:8099/a"] {
      #expect(Self.refusal(Self.subscription(endpoint), by: registrar) == nil)
    }
    for endpoint in ["https://127.0.0.1/", "https://10.0.0.1:8000/", "https://[::1]:8000/"] {
      #expect(Self.refusal(Self.subscription(endpoint), by: registrar) == "endpoint")
    }
  }

  @Test("time zones exist on this machine")
  func timeZones() {
    let registrar = Self.registrar()
    func isRefused(_ zone: String?) -> Bool {
      var change = PushPreferencesChange()
      change.timeZone = zone
      return (try? registrar.check(change)) == nil
    }
    for zone in [nil, "UTC", "Europe/Berlin", "America/Argentina/Ushuaia"] {
      #expect(!isRefused(zone))
    }
    for zone in ["Europe/Entenhausen", "Europe", "zone.tab", "../localtime", ""] {
      #expect(isRefused(zone))
      #expect(isRefused(zone))
    }
  }

  @Test("a user may call five times a second")
  func rate() throws {
    let registrar = Self.registrar()
    for _ in 0..<5 { try registrar.admit("ann", at: 0) }
    let error = #expect(throws: ServiceError.self) { try registrar.admit("ann", at: 0) }
    #expect(error?.code == .rateLimited)
    try registrar.admit("ben", at: 0)
    try registrar.admit("ann", at: 200)
  }

  @Test("the features name the types, and the key of browsers")
  func features() throws {
    let registrar = Self.registrar()
    let key = try #require(registrar.applicationServerKey)
    #expect(Base64URL.decode(Array(key.utf8)) == registrar.webKey?.publicPoint)
    let json = JSONWriter.bytes { $0.object { registrar.encodeFeatures(into: &$0) } }
    #expect(String(decoding: json, as: UTF8.self) == #"{"types":["web"],"web_key":"\#(key)"}"#)
  }
}
