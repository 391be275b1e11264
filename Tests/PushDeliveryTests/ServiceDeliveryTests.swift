import Basics
import Crypto
import ParleyProtocol
import Push
import Store
import TestPeers
import TestSupport
import Testing

@testable import PushDelivery

/// The peers speak HTTP/1.1; APNs itself, which is HTTP/2, is tested from outside.
@Suite("Delivery by APNs, FCM and the operator's own service", .serialized, .onOwnThreads)
struct ServiceDeliveryTests {
  private static let device = String(repeating: "a1", count: 32)
  private static let otherDevice = String(repeating: "b2", count: 32)

  private func apple(_ peer: PushPeer, requiresHTTP2: Bool = false) -> PushConfiguration.Apple {
    var apple = PushConfiguration.Apple(
      key: TestKeys.p256, keyID: "KEY", teamID: "TEAM", topic: "com.example.app", url: peer.url)
    apple.requiresHTTP2 = requiresHTTP2
    return apple
  }

  private func firebase(_ peer: PushPeer) throws -> PushConfiguration.Firebase {
    let account = """
      {"type":"service_account","project_id":"app","client_email":"a@app.example",
      "private_key":"x","private_key_id":"k","token_uri":"\(peer.url)/token"}
      """
    return .init(
      account: try ServiceAccount(Array(account.utf8)), key: try TestKeys.rsa(), url: peer.url)
  }

  @Test("APNs gets the alert and the provider token; its answers forget or keep devices")
  func apns() throws {
    let peer = try PushPeer { request, _ in
      request.path.hasSuffix(Self.otherDevice)
        ? .status(400, body: #"{"reason":"BadDeviceToken"}"#) : .status(200)
    }
    defer { peer.stop() }
    let rig = try PushRig { $0.apple = apple(peer) }
    defer { rig.end() }
    try rig.register(.apns, Self.device, of: "bob")
    try rig.register(.apns, Self.otherDevice, of: "bob")
    let id = try rig.say("hi")
    try rig.waitForNoJobs()
    let request = try #require(peer.requests.first { $0.path == "/3/device/\(Self.device)" })
    #expect(request.fields["apns-topic"] == "com.example.app")
    #expect(request.fields["apns-collapse-id"] == "\(id)")
    #expect(try request.json()["aps"]?["alert"]?["body"]?.string == "hi")
    let token = try #require(request.fields["authorization"]?.dropFirst("bearer ".count))
    let publicKey = TestKeys.publicPEM(try #require(TestKeys.p256.publicPoint))
    #expect(try TestKeys.payload(of: String(token), publicKey: publicKey)["iss"]?.string == "TEAM")
    #expect(try rig.tokens(of: "bob") == [Self.device])
  }

  @Test("an expired provider token is renewed once")
  func providerToken() throws {
    let peer = try PushPeer()
    defer { peer.stop() }
    let clock = RigClock()
    let rig = try PushRig(clock: clock) { $0.apple = apple(peer) }
    defer { rig.end() }
    try rig.register(.apns, Self.device, of: "bob")
    peer.behave { _, _ in .status(200) }
    try rig.say()
    try rig.waitForNoJobs()
    let first = try #require(peer.requests.last?.fields["authorization"])
    clock.advance(milliseconds: 30 * 60_000)
    peer.behave { request, _ in
      request.fields["authorization"] == first
        ? .status(403, body: #"{"reason":"ExpiredProviderToken"}"#) : .status(200)
    }
    try rig.say()
    try rig.waitForCount(.apns, .sent, 2)
    #expect(peer.requests.count == 3)
    // A new one is not replaced again.
    peer.behave { _, _ in .status(403, body: #"{"reason":"ExpiredProviderToken"}"#) }
    try rig.say()
    try rig.waitForCount(.apns, .failed, 1)
    #expect(peer.requests.count == 4)
    #expect(try rig.tokens(of: "bob").count == 1)
  }

  @Test("APNs without HTTP/2 is no answer")
  func noHTTP2() throws {
    let directory = try TemporaryDirectory()
    let certificate = (path: directory.path(of: "certificate"), key: directory.path(of: "key"))
    try SelfSignedCertificate.write(certificate: certificate.path, key: certificate.key)
    let peer = try PushPeer(certificate) { _, _ in .status(200) }
    defer { peer.stop() }
    let rig = try PushRig {
      $0.apple = apple(peer, requiresHTTP2: true)
      $0.certificateAuthorities = certificate.path
    }
    defer { rig.end() }
    try rig.register(.apns, Self.device, of: "bob")
    let results = Answer<[PushTestResult]>()
    rig.delivery.test("bob") { results.set((try? $0.get()) ?? []) }
    let result = try #require(try results.wait().first)
    #expect(result.result == .failed)
    #expect(result.problem.contains("HTTP/2"))
  }

  @Test("FCM: one access token for many pushes; UNREGISTERED forgets")
  func fcm() throws {
    let peer = try PushPeer { request, _ in
      if request.path == "/token" {
        return .status(200, body: #"{"access_token":"t1","expires_in":3600}"#)
      }
      guard request.fields["authorization"] == "Bearer t1" else { return .status(401) }
      guard String(decoding: request.body, as: UTF8.self).contains("dead") else {
        return .status(200, body: #"{"name":"x"}"#)
      }
      let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
      return .status(
        404,
        body: #"{"error":{"details":[{"@type":"\#(type)","errorCode":"UNREGISTERED"}]}}"#)
    }
    defer { peer.stop() }
    let rig = try PushRig { $0.firebase = try firebase(peer) }
    defer { rig.end() }
    for name in ["one", "two", "dead"] { try rig.register(.gcm, name, of: "bob") }
    try rig.register(.gcm, "three", of: "cy")
    try rig.say()
    try rig.waitForNoJobs()
    #expect(peer.requests.count { $0.path == "/token" } == 1)
    #expect(rig.count(.fcm, .sent) == 3)
    #expect(rig.count(.fcm, .rejected) == 1)
    #expect(try rig.tokens(of: "bob") == ["one", "two"])
  }

  @Test("without an access token pushes wait, and other ways go on")
  func noAccess() throws {
    let peer = try PushPeer { _, _ in .status(400) }
    let other = try PushPeer { _, _ in .status(200) }
    defer {
      peer.stop()
      other.stop()
    }
    let rig = try PushRig {
      $0.firebase = try firebase(peer)
      $0.apple = apple(other)
    }
    defer { rig.end() }
    try rig.register(.gcm, "one", of: "bob")
    try rig.register(.apns, Self.device, of: "bob")
    try rig.say()
    try rig.waitForCount(.apns, .sent, 1)
    try Deadline.standard.wait(for: "a waiting job") {
      let jobs = try rig.store.now(PushJobReading(at: .max, in: .everything, limit: 10)).jobs
      if case .token(userID: "bob", _)? = jobs.first?.scope { return true }
      return false
    }
    #expect(peer.requests.allSatisfy { $0.path == "/token" })
  }

  @Test("after many pushes only the badge changes; reading clears it, at most every 10 s")
  func badges() throws {
    let peer = try PushPeer { _, _ in .status(200) }
    defer { peer.stop() }
    let rig = try PushRig {
      $0.apple = apple(peer)
      $0.budgets.perUser = 2
    }
    defer { rig.end() }
    try rig.register(.apns, Self.device, of: "bob")
    for _ in 0..<2 { try rig.say() }
    let last = try rig.say()
    try rig.waitForNoJobs()
    let alerts = try peer.requests.map { try $0.json()["aps"]?["alert"] != nil }
    // Which of the three is judged last depends on the readers of the store.
    #expect(alerts.count { $0 } == 2 && alerts.count == 3)
    #expect(try peer.requests.last?.json()["aps"]?["badge"]?.integer == 3)
    try rig.read(upTo: last, by: "bob")
    rig.delivery.didRead("bob", channelURL: "den")
    try Deadline.standard.wait(for: "a clearing push") { peer.requests.count == 4 }
    let clearing = try #require(peer.requests.last).json()
    #expect(clearing["aps"]?["badge"]?.integer == 0)
    #expect(clearing["aps"]?["content-available"]?.integer == 1)
    #expect(clearing["parley"]?["channel_url"]?.string == "den")
    for _ in 0..<5 { rig.delivery.didRead("bob", channelURL: "den") }
    // The next one comes 10 s later; a test overtakes it.
    let results = Answer<[PushTestResult]>()
    rig.delivery.test("bob") { results.set((try? $0.get()) ?? []) }
    #expect(try results.wait().map(\.result) == [.sent])
    #expect(peer.requests.count == 5)
  }

  @Test("what is too old, read or suppressed is not sent, and counted")
  func refused() throws {
    let peer = try PushPeer { _, _ in .status(200) }
    defer { peer.stop() }
    let rig = try PushRig { $0.apple = apple(peer) }
    defer { rig.end() }
    try rig.register(.apns, Self.device, of: "bob")
    try rig.register(.apns, Self.otherDevice, of: "ann")
    try rig.say(age: 3_601_000)
    try rig.waitForCount(.apns, .expired, 1)
    // The reader's own message reads the group.
    rig.attend("bob", true)
    let id = try rig.say()
    try rig.waitForNoJobs()
    #expect(peer.requests.isEmpty)
    let explanation = Answer<PushExplanation?>()
    rig.delivery.explain("bob", messageID: id) { explanation.set(try? $0.get()) }
    #expect(try explanation.wait()?.refusal == .hasSession)
    rig.attend("bob", false)
    rig.delivery.explain("bob", messageID: id) { explanation.set(try? $0.get()) }
    let pushed = try #require(try explanation.wait())
    #expect(pushed.refusal == nil)
    #expect(pushed.devices.map(\.token) == [String(Self.device.suffix(8))])
    #expect(pushed.devices.map(\.way) == [.apns])
    rig.delivery.explain("ann", messageID: id) { explanation.set(try? $0.get()) }
    #expect(try explanation.wait()?.refusal == .author)
    rig.delivery.explain("bob", messageID: 5) { explanation.set(try? $0.get()) }
    #expect(try explanation.wait() == nil)
  }

  @Test("what was sent and not recorded is sent again after a crash, with the same ids")
  func crash() throws {
    let peer = try PushPeer { _, _ in .silence }
    defer { peer.stop() }
    let clock = RigClock()
    let rig = try PushRig(clock: clock) { $0.apple = apple(peer) }
    try rig.register(.apns, Self.device, of: "bob")
    let ids = try (0..<3).map { _ in try rig.say() }
    try Deadline.standard.wait(for: "the first push") { !peer.requests.isEmpty }
    let directory = rig.kill()
    peer.behave { _, _ in .status(200) }
    let next = try PushRig(in: directory, clock: clock) { $0.apple = apple(peer) }
    defer { next.end() }
    try next.waitForNoJobs()
    let requests = peer.requests
    #expect(requests[0].fields["apns-id"] == requests[1].fields["apns-id"])
    #expect(requests.dropFirst().map { $0.fields["apns-collapse-id"] } == ids.map { "\($0)" })
    #expect(next.count(.apns, .sent) == 3)
  }

  @Test("a stop keeps what was not sent for the next start, and repeats nothing")
  func stop() throws {
    let peer = try PushPeer { _, _ in .status(200) }
    defer { peer.stop() }
    let clock = RigClock()
    let rig = try PushRig(clock: clock) {
      $0.apple = apple(peer)
      $0.budgets.perUser = 0
    }
    try rig.register(.apns, Self.device, of: "bob")
    for _ in 0..<200 { try rig.say() }
    rig.delivery.shutDown()
    let place = rig.kill()
    let sent = peer.requests.count
    let next = try PushRig(in: place, clock: clock) {
      $0.apple = apple(peer)
      $0.budgets.perUser = 0
    }
    defer { next.end() }
    try next.waitForNoJobs()
    #expect(sent <= 200)
    #expect(peer.requests.count == 200)
    #expect(Set(peer.requests.compactMap { $0.fields["apns-id"] }).count == 200)
  }

  @Test("the operator's own service gets one signed notice, and rejects devices of it")
  func service() throws {
    let peer = try PushPeer { _, _ in
      .status(
        200,
        body: #"{"rejected":[{"type":"huawei","token":"h1"},{"type":"gcm","token":"other"}]}"#)
    }
    defer { peer.stop() }
    let secret = Array("a secret of a service".utf8)
    let rig = try PushRig {
      $0.service = .init(url: "\(peer.url)/notify", secret: secret, types: [.gcm, .huawei])
    }
    defer { rig.end() }
    try rig.register(.huawei, "h1", of: "bob")
    try rig.register(.gcm, "g1", of: "bob")
    try rig.register(.gcm, "other", of: "ann")
    try rig.register(.gcm, "g2", of: "cy")
    try rig.say("hi")
    try rig.waitForNoJobs()
    let request = try #require(peer.requests.first)
    #expect(peer.requests.count == 1)
    let code = try #require(HMACSHA256.code(of: request.body, under: secret))
    #expect(request.fields["parley-signature"] == "sha256=\(Hexadecimal.encode(code))")
    let notice = try request.json()
    #expect(notice["event"]?.string == "push.notify")
    #expect(notice["message"]?["message"]?.string == "hi")
    let recipients = try #require(notice["recipients"]).elements.map { $0 }
    #expect(recipients.map { $0["user_id"]?.string } == ["bob", "cy"])
    #expect(recipients.first?["unread_message_count"]?.integer == 1)
    #expect(recipients.first?["tokens"]?.elements.count { _ in true } == 2)
    #expect(try rig.tokens(of: "bob") == ["g1"])
    // The service was not given that device.
    #expect(try rig.tokens(of: "ann") == ["other"])
    #expect(rig.count(.url, .sent) == 2)
    #expect(rig.count(.url, .rejected) == 1)
  }
}
