import Cluster
import Bus
import PostgreSQL
import Reactor
import TestSupport
import Testing

@Suite("The network of a cluster", .serialized, .withRegistry, .onOwnThreads)
struct ClusterLoopTests {
  private let registry: PostgreSQLServer
  private let broker = MemoryBroker()

  init() throws {
    registry = try #require(RunningRegistry.current)
    let connection = try PostgreSQLConnection(registry.url)
    try connection.execute(
      script: "DROP TABLE IF EXISTS servers, lost_servers, registry")
  }

  @Test("delivers messages in order between servers that join, and none after one leaves")
  func messages() throws {
    let (a, b) = (try TestServer("a", registry, broker), try TestServer("b", registry, broker))
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    #expect(a.network.ring == b.network.ring && a.network.local.slot != b.network.local.slot)
    let messages = (0..<2_000).map { number in
      [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: number * 7 % 3_000)
    }
    for message in messages { a.network.send(message, to: b.id) }
    b.wait(for: "all messages") { b.messages(from: a.id).count == messages.count }
    #expect(b.messages(from: a.id) == messages)
    b.network.send([1], to: a.id)
    a.wait(for: "an answer") { a.messages(from: b.id) == [[1]] }
    #expect(a.resets == [b.id] && b.resets == [a.id])

    a.network.stop()
    b.wait(forHomes: [b])
    a.network.send([2], to: b.id)
    b.network.stop()
    #expect(b.messages(from: a.id).count == messages.count)
  }

  @Test("resends messages that the bus loses")
  func loss() throws {
    let (a, b) = (try TestServer("a", registry, broker), try TestServer("b", registry, broker))
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    broker.lose(oneIn: 5)
    for number in 0..<40 {
      a.network.send([UInt8(number)], to: b.id)
      b.network.send([UInt8(number)], to: a.id)
      b.wait(for: "a message") { b.messages(from: a.id).count > number }
    }
    a.wait(for: "all messages") { a.messages(from: b.id).count == 40 }
    #expect(a.messages(from: b.id) == (0..<40).map { [$0] })
    #expect(a.resets.count == 1 && b.resets.count == 1)
    a.wait(for: "the figures") { a.network.figures.links.refills > 0 }
    a.network.stop()
    b.network.stop()
  }

  @Test("declares a server dead when its process ends, long before its heartbeats time out")
  func death() throws {
    let a = try TestServer("a", registry, broker) { $0.timing.serverTimeout = 3_600_000 }
    var b: TestServer? = try TestServer("b", registry, broker)
    try a.wait(forHomes: [a, #require(b)])
    b = nil
    a.wait(forHomes: [a])
    a.network.stop()
  }

  @Test("a server that was declared dead leaves")
  func declaredDead() throws {
    let (a, b) = (try TestServer("a", registry, broker), try TestServer("b", registry, broker))
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    let connection = try PostgreSQLConnection(registry.url)
    _ = try connection.execute(
      "UPDATE servers SET state = 'dead' WHERE server_id = $1",
      [.integer(Int64(bitPattern: b.id.rawValue))])
    a.wait(forHomes: [a])
    b.wait(for: "the leave") { b.leaveReason != nil }
    a.network.stop()
    b.network.stop()
  }

  @Test("a deaf server leaves if others hear; if all are deaf none leaves")
  func isolation() throws {
    let isolation = Duration.seconds(1).patientMilliseconds
    let servers = try ["a", "b"].map {
      try TestServer($0, registry, broker) { $0.timing.isolation = isolation }
    }
    let (a, b) = (servers[0], servers[1])
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    broker.setDown(true)
    a.wait(for: "deafness") { a.network.figures.echoAge > 2_500 + isolation }
    #expect(a.leaveReason == nil && b.leaveReason == nil)
    #expect(a.network.figures.isReady && b.network.figures.isReady)
    broker.setDown(false)
    a.wait(for: "beats") { a.network.figures.echoAge < 1_000 }
    b.wait(for: "beats") { b.network.figures.echoAge < 1_000 }
    broker.setDeaf(0, true)
    a.wait(for: "the leave") { a.leaveReason != nil }
    #expect(b.leaveReason == nil)
    a.network.stop()
    b.wait(forHomes: [b])
    b.network.stop()
  }

  @Test("a restart of the registry makes no server lose its membership")
  func registryRestart() throws {
    let (a, b) = (try TestServer("a", registry, broker), try TestServer("b", registry, broker))
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    for shutdown in [PostgreSQLServer.Shutdown.fast, .immediate] {
      try registry.stop(shutdown)
      try registry.start()
      let time = b.network.figures.servers.map(\.beatAt).max() ?? 0
      b.wait(for: "beats of both") {
        b.network.figures.servers.count == 2
          && b.network.figures.servers.allSatisfy { $0.beatAt > time + 3_000 }
      }
    }
    #expect(a.leaveReason == nil)
    #expect(b.leaveReason == nil)
    a.network.send([1], to: b.id)
    b.wait(for: "a message") { b.messages(from: a.id) == [[1]] }
    #expect(b.resets == [a.id])
    a.network.stop()
    b.network.stop()
  }

  @Test("a draining server is no home, and still reachable")
  func draining() throws {
    let (a, b) = (try TestServer("a", registry, broker), try TestServer("b", registry, broker))
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    a.network.drain()
    for server in [a, b] { server.wait(forHomes: [b]) }
    b.network.send([1], to: a.id)
    a.wait(for: "a message") { a.messages(from: b.id) == [[1]] }
    a.network.stop()
    b.network.stop()
  }

  @Test("refuses settings that differ from those of running servers, and names them")
  func settings() throws {
    let a = try TestServer("a", registry, broker) {
      $0.agreement = ["x": "1", "y": "2"]
      $0.shownSettings = ["y": "two"]
    }
    #expect(throws: ClusterError.settingsDiffer([SettingDifference(setting: "y", server: "a")])) {
      try TestServer("b", registry, broker) { $0.agreement = ["x": "1", "y": "3", "z": "4"] }
    }
    #expect(
      throws: ClusterError.settingsDiffer([
        SettingDifference(setting: "y", server: "a", value: "three", otherValue: "two")
      ])
    ) {
      try TestServer("b", registry, broker) {
        $0.agreement = ["y": "3"]
        $0.shownSettings = ["y": "three"]
      }
    }
    a.network.stop()
    let b = try TestServer("b", registry, broker) { $0.agreement = ["y": "3"] }
    b.wait(forHomes: [b])
    b.network.stop()
  }

  @Test("compares servers that join with reloaded settings")
  func reloadedSettings() throws {
    let a = try TestServer("a", registry, broker) { $0.agreement = ["x": "1"] }
    var options = ClusterOptions(registryURL: registry.url, serverName: "a", version: "test")
    options.agreement = ["x": "2"]
    a.network.adopt(options)
    let connection = try PostgreSQLConnection(registry.url)
    try Deadline.standard.wait(for: "the new settings in the registry") {
      try connection.execute("SELECT settings ->> 'x' = '2' FROM servers").integer(0, 0) == 1
    }
    #expect(throws: ClusterError.settingsDiffer([SettingDifference(setting: "x", server: "a")])) {
      try TestServer("b", registry, broker) { $0.agreement = ["x": "1"] }
    }
    let b = try TestServer("b", registry, broker) { $0.agreement = ["x": "2"] }
    b.wait(forHomes: [a, b])
    a.network.stop()
    b.network.stop()
  }

  @Test("each differing setting is named once, with the values that may be shown")
  func listing() {
    let differences = [
      SettingDifference(setting: "auth.api_token", server: "a"),
      SettingDifference(setting: "auth.api_token", server: "b"),
      SettingDifference(setting: "limits.x", server: "a", value: "7", otherValue: "5"),
      SettingDifference(setting: "limits.x", server: "b", value: "7", otherValue: "6"),
      SettingDifference(setting: "limits.x", server: "c", value: "7", otherValue: "5"),
      SettingDifference(setting: "limits.x", server: "old", value: "7"),
    ]
    #expect(differences.settings == ["auth.api_token", "limits.x"])
    #expect(
      ClusterError.settingsDiffer(differences).description
        == "settings differ from those of other servers: auth.api_token (a, b), "
        + "limits.x (7 here, 5 on a, c, 6 on b, another value on old)")
  }

  @Test("a server number is reused only after all others")
  func slots() throws {
    var slots: [UInt16] = []
    for number in 0..<4 {
      let server = try TestServer("s\(number)", registry, broker)
      slots.append(server.network.local.slot)
      server.network.stop()
    }
    #expect(slots == [0, 1, 2, 3])
    let connection = try PostgreSQLConnection(registry.url)
    _ = try connection.execute("UPDATE registry SET last_slot = 254")
    let servers = try (0..<3).map { try TestServer("t\($0)", registry, broker) }
    #expect(servers.map(\.network.local.slot) == [255, 0, 1])
    for server in servers { server.wait(forHomes: servers) }
    for server in servers { server.network.stop() }
  }

  @Test("a crash of the registry skips no number, and a number in use is never assigned again")
  func slotsAfterCrash() throws {
    var slots: [UInt16] = []
    for _ in 0..<3 {
      let server = try TestServer("s", registry, broker)
      slots.append(server.network.local.slot)
      server.network.stop()
      try registry.stop(.immediate)
      try registry.start()
    }
    #expect(slots == [0, 1, 2])
    let old = try TestServer("old", registry, broker)
    #expect(old.network.local.slot == 3)
    let connection = try PostgreSQLConnection(registry.url)
    _ = try connection.execute("UPDATE registry SET last_slot = 2")
    let new = try TestServer("new", registry, broker)
    #expect(new.network.local.slot == 4)
    for server in [old, new] { server.wait(forHomes: [old, new]) }
    for server in [old, new] { server.network.stop() }
  }

  @Test("remembers for some time which servers have ended, when and how")
  func lostServers() throws {
    let a = try TestServer("a", registry, broker)
    let b = try TestServer("b", registry, broker)
    var c: TestServer? = try TestServer("c", registry, broker)
    try a.wait(forHomes: [a, b, #require(c)])
    #expect(a.network.figures.lostServers == [])
    b.network.stop()
    a.wait(for: "a server that left") {
      a.network.figures.lostServers.map(\.ending) == [.left]
    }
    let slot = try #require(c).network.local.slot
    c = nil
    a.wait(for: "a server that was lost") { a.network.figures.lostServers.count == 2 }
    let lost = try #require(a.network.figures.lostServers.first)
    #expect(lost.member.name == "c" && lost.member.slot == slot && lost.ending == .expelled)
    #expect(lost.startedAt <= lost.beatAt && lost.beatAt <= lost.endedAt)
    let connection = try PostgreSQLConnection(registry.url)
    _ = try connection.execute("UPDATE lost_servers SET ended_at = ended_at - 600000")
    a.wait(for: "forgetting") { a.network.figures.lostServers.isEmpty }
    a.network.stop()
  }

  @Test("drops messages of another deployment on the same bus, and names it")
  func deployments() throws {
    let a = try TestServer("a", registry, broker)
    a.wait(forHomes: [a])
    let connection = try PostgreSQLConnection(registry.url)
    // As another database would have it.
    _ = try connection.execute("UPDATE registry SET deployment = deployment # 1")
    _ = try connection.execute("DELETE FROM servers")
    let other = try TestServer("b", registry, broker)
    a.wait(for: "foreign frames") { a.network.figures.traffic.foreignFrames > 0 }
    #expect(a.network.figures.traffic.foreignDeployment == other.network.deployment)
    #expect(a.network.deployment ^ 1 == other.network.deployment)
    for server in [a, other] { server.network.stop() }
  }

  @Test("a secret excludes servers that do not know it")
  func secret() throws {
    let (a, b) = (
      try TestServer("a", registry, broker) { $0.secret = [1, 2, 3] },
      try TestServer("b", registry, broker) { $0.secret = [1, 2, 3] }
    )
    for server in [a, b] { server.wait(forHomes: [a, b]) }
    let stranger = try TestServer("c", registry, broker) { $0.secret = [9] }
    a.wait(forHomes: [a, b, stranger])
    stranger.network.send([1], to: a.id)
    a.wait(for: "forged frames") { a.network.figures.traffic.forgedFrames > 0 }
    b.network.send([2], to: a.id)
    a.wait(for: "a message") { a.messages(from: b.id) == [[2]] }
    #expect(a.messages(from: stranger.id) == [])
    for server in [a, b, stranger] { server.network.stop() }
  }

  @Test("the offset of the registry's clock is measured")
  func clock() throws {
    let a = try TestServer("a", registry, broker)
    a.wait(for: "a sample") { a.network.figures.clockOffset != nil }
    for offset in [a.network.clockOffset, a.network.figures.clockOffset] {
      let known = try #require(offset)
      let start = SystemClock.unixMilliseconds
      let time = SystemClock.monotonicMilliseconds + known
      // The sample is as exact as the answer of the registry was fast.
      let error = Duration.seconds(1).patientMilliseconds
      #expect(time > start - error && time < SystemClock.unixMilliseconds + error)
    }
    a.network.stop()
  }

  @Test("an unreachable registry is named")
  func absent() {
    let options = ClusterOptions(
      registryURL: "postgresql:///x?host=/nowhere", serverName: "a", version: "1")
    #expect(throws: ClusterError.self) { try ClusterLoop(options, bus: broker.maker) }
  }

  @Test("a bus that cannot be created is an error, and the server's row is released")
  func noBus() throws {
    struct NoBus: Error {}
    let options = ClusterOptions(registryURL: registry.url, serverName: "a", version: "1")
    #expect(throws: ClusterError.self) {
      try ClusterLoop(options) { _, _, _ in throw NoBus() }
    }
    let b = try TestServer("b", registry, broker)
    b.wait(forHomes: [b])
    b.wait(for: "one row") { b.network.figures.servers.count == 1 }
    b.network.stop()
  }
}
