import Basics
import Crypto
import LinkPreview
import ParleyProtocol
import Push
import Store
import TestPeers
import TestSupport
import Testing

@testable import PushDelivery

@Suite("Delivery by Web Push", .serialized, .onOwnThreads)
struct WebPushDeliveryTests {
  /// A push service over TLS, and the settings that trust it.
  private struct Service {
    let directory: TemporaryDirectory
    let certificate: (path: String, key: String)
    let key = PrivateKey.generateP256()

    init() throws {
      directory = try TemporaryDirectory()
      certificate = (directory.path(of: "certificate"), directory.path(of: "key"))
      try SelfSignedCertificate.write(certificate: certificate.path, key: certificate.key)
    }

    func peer(_ handler: @escaping PushPeer.Handler = { _, _ in .status(201) }) throws -> PushPeer {
      try PushPeer(certificate, handler)
    }

    /// - Parameter allowed: Networks that endpoints may be in.
    func settings(
      _ configuration: inout PushConfiguration, allowed: [String] = ["127.0.0.0/8"]
    ) throws {
      var web = try #require(PushConfiguration.Web(key: key, subject: "mailto:a@example.com"))
      web.addresses = AddressPolicy(allowing: try allowed.map { try Network(parsing: $0) })
      web.ports = PortPolicy([1...65_535])
      configuration.web = web
      configuration.certificateAuthorities = certificate.path
    }
  }

  private func browser(_ seed: UInt64) -> Browser {
    var generator = SeededGenerator(seed: seed)
    return Browser(&generator)
  }

  @Test("a message reaches the browsers of the absent, encrypted, with a token for the service")
  func message() throws {
    let service = try Service()
    let peer = try service.peer()
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    rig.attend("cy", true)
    let browser = browser(1)
    try rig.register(browser, at: "\(peer.url)/bob", of: "bob")
    try rig.register(self.browser(2), at: "\(peer.url)/cy", of: "cy")
    try rig.register(self.browser(3), at: "\(peer.url)/ann", of: "ann")
    let id = try rig.say("see swift.org", data: "d")
    try rig.waitForNoJobs()
    #expect(peer.requests.map(\.path) == ["/bob"])
    let request = try #require(peer.requests.first)
    let plain = try JSONDocument(try #require(browser.open(request.body))).root
    #expect(plain["message_id"]?.integer == id)
    #expect(plain["title"]?.string == "ann · Den")
    #expect(plain["body"]?.string == "see swift.org")
    #expect(plain["unread_message_count"]?.integer == 1)
    #expect(request.fields["ttl"] == "86400")
    #expect(request.fields["topic"]?.utf8.count == 32)
    let authorization = try #require(request.fields["authorization"])
    let token = try #require(authorization.firstMatch(of: /vapid t=([^,]+), k=/)).1
    let publicKey = TestKeys.publicPEM(try #require(service.key.publicPoint))
    let payload = try TestKeys.payload(of: String(token), publicKey: publicKey)
    #expect(payload["aud"]?.string == peer.url)
    #expect(payload["sub"]?.string == "mailto:a@example.com")
    #expect(rig.count(.web, .sent) == 1)
    #expect(try rig.store.now(PushTokens(of: "bob")).first?.lastSuccessAt ?? 0 > 0)
  }

  @Test("404 and 410 forget only that endpoint", arguments: [404, 410])
  func gone(status: Int) throws {
    let service = try Service()
    let peer = try service.peer { request, _ in .status(request.path == "/dead" ? status : 201) }
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    try rig.register(browser(1), at: "\(peer.url)/dead", of: "bob")
    try rig.register(browser(2), at: "\(peer.url)/alive", of: "bob")
    try rig.say()
    try rig.waitForNoJobs()
    #expect(try rig.tokens(of: "bob") == ["\(peer.url)/alive"])
    #expect(rig.count(.web, .rejected) == 1)
    #expect(rig.count(.web, .sent) == 1)
  }

  @Test("429 and 503 are tried again, after the time that the service asks for")
  func waits() throws {
    let service = try Service()
    let peer = try service.peer { _, number in
      switch number {
      case 1: .status(429, fields: ["Retry-After: 2"])
      case 2: .status(503)
      default: .status(201)
      }
    }
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    try rig.register(browser(1), at: "\(peer.url)/bob", of: "bob")
    let begin = ContinuousClock.now
    try rig.say()
    try rig.waitForCount(.web, .sent, 1)
    #expect(ContinuousClock.now - begin >= .seconds(2))
    try rig.waitForNoJobs()
    #expect(peer.requests.count == 3)
    #expect(try rig.tokens(of: "bob").count == 1)
  }

  @Test("413 is tried once more without a body")
  func tooLarge() throws {
    let service = try Service()
    let peer = try service.peer { request, _ in .status(request.body.isEmpty ? 201 : 413) }
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    try rig.register(browser(1), at: "\(peer.url)/bob", of: "bob")
    try rig.say()
    try rig.waitForNoJobs()
    #expect(peer.requests.count == 2)
    #expect(peer.requests.last?.fields["content-encoding"] == nil)
    #expect(rig.count(.web, .sent) == 1)
  }

  @Test("a redirect is not followed")
  func redirect() throws {
    let service = try Service()
    let other = try service.peer()
    let target = "\(other.url)/other"
    let peer = try service.peer { _, _ in .status(307, fields: ["Location: \(target)"]) }
    defer {
      peer.stop()
      other.stop()
    }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    try rig.register(browser(1), at: "\(peer.url)/bob", of: "bob")
    try rig.say()
    try rig.waitForNoJobs()
    #expect(other.requests.isEmpty)
    #expect(rig.count(.web, .failed) == 1)
  }

  @Test("addresses that are not public are not called, by number or by name")
  func privateAddresses() throws {
    let service = try Service()
    let peer = try service.peer()
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0, allowed: []) }
    defer { rig.end() }
    for (seed, host) in ["127.0.0.1", "localhost", "[::1]", "169.254.169.254"].enumerated() {
      try rig.register(
        browser(UInt64(seed)), at: "https://\(host):\(peer.port)/x", of: "bob")
    }
    try rig.say()
    try rig.waitForNoJobs()
    #expect(peer.requests.isEmpty)
    #expect(rig.count(.web, .failed) == 4)
  }

  @Test("a connection that another way has opened to a private address is not reused")
  func sharedConnection() throws {
    let service = try Service()
    let peer = try service.peer()
    defer { peer.stop() }
    let rig = try PushRig {
      try service.settings(&$0, allowed: [])
      $0.service = .init(
        url: "https://localhost:\(peer.port)/service", secret: Array("secret".utf8),
        types: [.gcm])
    }
    defer { rig.end() }
    try rig.register(.gcm, "device", of: "cy")
    try rig.say()
    try rig.waitForCount(.url, .sent, 1)
    try rig.register(browser(1), at: "https://localhost:\(peer.port)/endpoint", of: "bob")
    try rig.say()
    try rig.waitForCount(.url, .sent, 2)
    try rig.waitForCount(.web, .failed, 1)
    #expect(peer.requests.map(\.path) == ["/service", "/service"])
  }

  @Test("a service that trickles or is silent is given up, and does not delay others")
  func trickle() throws {
    let service = try Service()
    let slow = try service.peer { _, number in number % 2 == 0 ? .silence : .trickle }
    let fast = try service.peer()
    defer {
      slow.stop()
      fast.stop()
    }
    let rig = try PushRig {
      try service.settings(&$0)
      $0.timeout = Duration.seconds(2).patientMilliseconds
      $0.rules.maximumAge = Duration.seconds(3).patientMilliseconds
      $0.concurrency = 8
    }
    defer { rig.end() }
    for number in 0..<20 {
      try rig.register(
        browser(UInt64(number)), at: "\(slow.url)/\(number)", of: "bob")
    }
    for number in 20..<40 {
      try rig.register(browser(UInt64(number)), at: "\(fast.url)/\(number)", of: "cy")
    }
    let begin = ContinuousClock.now
    try rig.say()
    try rig.waitForCount(.web, .sent, 20)
    #expect(ContinuousClock.now - begin < Duration.seconds(2).patient)
    #expect(slow.requests.count <= 4)
    // Those that were begun got an answer that is too slow to be whole, which is no acceptance.
    try rig.waitForNoJobs()
    #expect(rig.count(.web, .sent) == 20)
    #expect(rig.count(.web, .expired) == 20)
  }

  @Test("pushes to one browser keep the order of the messages")
  func order() throws {
    let service = try Service()
    let peer = try service.peer()
    defer { peer.stop() }
    let rig = try PushRig { try service.settings(&$0) }
    defer { rig.end() }
    let browsers = (0..<3).map { browser(UInt64($0)) }
    for (number, browser) in browsers.enumerated() {
      try rig.register(browser, at: "\(peer.url)/\(number)", of: number == 0 ? "cy" : "bob")
    }
    let ids = try (0..<60).map { _ in try rig.say() }
    try rig.waitForNoJobs()
    for (number, browser) in browsers.enumerated() {
      let got = try peer.requests.filter { $0.path == "/\(number)" }.compactMap { request in
        try browser.open(request.body).flatMap { try JSONDocument($0).root["message_id"]?.integer }
      }
      // After 30 pushes in a minute browsers get none.
      #expect(got == Array(ids.prefix(30)))
    }
    #expect(rig.count(.web, .limited) == 90)
  }

  @Test("a host that fails 20 times is paused, others are not")
  func paused() throws {
    let service = try Service()
    let bad = try service.peer { _, _ in .status(500) }
    let good = try service.peer()
    defer {
      bad.stop()
      good.stop()
    }
    let rig = try PushRig {
      try service.settings(&$0)
      $0.budgets.perUser = 0
    }
    defer { rig.end() }
    for number in 0..<15 {
      try rig.register(browser(UInt64(number)), at: "\(bad.url)/\(number)", of: "bob")
    }
    try rig.register(browser(50), at: "\(good.url)/cy", of: "cy")
    for _ in 0..<10 { try rig.say() }
    try rig.waitForCount(.web, .sent, 10)
    let report = Answer<PushReport?>()
    try Deadline.standard.wait(for: "a pause") {
      rig.delivery.report { report.set(try? $0.get()) }
      return try report.wait()?.pausedHosts == ["https://127.0.0.1:\(bad.port)"]
    }
    // Requests in progress end when the host is paused.
    #expect(bad.requests.count < 20 + 32)
    #expect(try #require(report.last).flatMap(\.ways.first)?.reason.contains("500") == true)
  }
}
