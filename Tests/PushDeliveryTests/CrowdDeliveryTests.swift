import Channels
import Crypto
import ParleyProtocol
import Push
import Reactor
import TestSupport
import Testing

@testable import PushDelivery
@testable import Store

@Suite("Delivery to a large group", .serialized, .onOwnThreads)
struct CrowdDeliveryTests {
  private static let count = 10_000
  /// The members that are looked at together.
  private static let pageSize = 500
  /// Every tenth member has an Apple device beside the one of the service.
  private static let share = 10

  private static func isAppleUser(_ index: Int) -> Bool { index % share == 0 }
  private static func appleDevice(_ index: Int) -> String {
    String(repeating: "0", count: 59) + String(10_000 + index)
  }

  private func crowd() -> CrowdCreation {
    var crowd = CrowdCreation()
    for index in 0..<Self.count {
      let id = "u\(10_000 + index)"
      var devices = [PushRegister(.huawei, .token("h\(index)"))]
      if Self.isAppleUser(index) {
        devices.append(PushRegister(.apns, .token(Self.appleDevice(index))))
      }
      crowd.users.append((id, devices))
    }
    return crowd
  }

  @Test("each of 10,000 devices gets one push, and each 500 members take a few queries and commits")
  func everyDeviceOnce() throws {
    let peer = try PushPeer { _, _ in .status(200) }
    defer { peer.stop() }
    let rig = try PushRig {
      $0.service = .init(
        url: "\(peer.url)/notify", secret: Array("a secret of a service".utf8), types: [.huawei])
      var apple = PushConfiguration.Apple(
        key: TestKeys.p256, keyID: "K", teamID: "T", topic: "app", url: peer.url)
      apple.requiresHTTP2 = false
      $0.apple = apple
      $0.budgets.perSender = 0
    }
    defer { rig.end() }
    let crowd = crowd()
    try rig.store.now(crowd)
    let ids = crowd.users.map(\.id)
    for start in stride(from: 0, to: ids.count, by: 1_000) {
      let invitation = ChannelChange.invite(
        Array(ids[start..<(start + 1_000)]), by: User(id: "ann"))
      let change = LogOperation.change([invitation], at: SystemClock.unixMilliseconds)
      _ = try rig.answers.perform(.write(change, rig.den), in: rig.store)
    }
    let appleCount = Self.count / Self.share
    let before = rig.store.statistics
    try rig.say("to all")
    try rig.waitForCount(.url, .sent, Self.count)
    try rig.waitForCount(.apns, .sent, appleCount)
    let after = rig.store.statistics
    try rig.waitForNoJobs()
    let notices = try peer.requests.filter { $0.path == "/notify" }.map { try $0.json() }
    let notified = notices.flatMap { notice in
      (notice["recipients"]?.elements.map { $0 } ?? []).flatMap { recipient in
        recipient["tokens"]?.elements.compactMap { $0["token"]?.string } ?? []
      }
    }
    #expect(notified.count == Self.count)
    #expect(Set(notified) == Set((0..<Self.count).map { "h\($0)" }))
    let alerted = peer.requests.map(\.path).filter { $0 != "/notify" }.sorted()
    let expected = (0..<Self.count).filter(Self.isAppleUser).map {
      "/3/device/\(Self.appleDevice($0))"
    }
    #expect(alerted == expected.sorted())
    // Three users were there before.
    let pages = (Self.count + 3 + Self.pageSize - 1) / Self.pageSize
    #expect(notices.count <= pages)
    let (commits, queries) = (
      after.batchCount - before.batchCount, after.queryCount - before.queryCount
    )
    // The audience, the badges and the next jobs; and the message itself.
    #expect(queries <= 4 * pages, "\(queries) queries")
    #expect(commits <= 2 * pages, "\(commits) commits")
  }
}

/// Users and their devices, in one transaction.
private struct CrowdCreation: StoreWrite {
  var users: [(id: String, devices: [PushRegister])] = []

  var statements: WriteStatements<Void> {
    .init { [users] transaction in
      for (id, devices) in users {
        _ = try UserCreation(User(id: id), at: 1).statements.run(transaction)
        for device in devices {
          _ = try PushRegistration(device, of: id, at: 1).statements.run(transaction)
        }
      }
    }
  }
}
