import Cluster
import Testing

@Suite("A membership")
struct MembershipTests {
  @Test("begins as joining, and is live once it has received its own heartbeat")
  func start() {
    var server = TestMembership()
    server.handle(.mayServe)
    #expect(server.written == [.joining])
    server.answer()
    server.echo()
    server.pass(500)
    #expect(server.written.last == .live)
    #expect(server.membership.unreadiness(at: server.now) != nil)
    server.answer()
    #expect(server.membership.unreadiness(at: server.now) == nil)
    #expect(server.membership.ring.homes == [server.membership.local])
  }

  @Test("stays ready when its database is read-only, unless other servers can write")
  func writes() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(1_000, of: [1])
    func unreadiness() -> Unreadiness? { server.membership.unreadiness(at: server.now) }
    #expect(unreadiness() == nil)
    server.handle(.store(canWrite: false))
    // The other may just not know yet.
    server.passWithBeats(2_500, of: [1])
    #expect(unreadiness() == nil)
    server.passWithBeats(1_000, of: [1])
    #expect(unreadiness() == .cannotWrite)
    server.beat(of: 1, canWrite: false)
    #expect(unreadiness() == nil)
    // It can again, and this one will in a moment.
    server.beat(of: 1)
    #expect(unreadiness() == nil)
    server.handle(.store(canWrite: true))
    #expect(unreadiness() == nil)
  }

  @Test("stays ready while the registry is unreachable for all, but not when only for itself")
  func registryAway() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(1_000, of: [1])
    func pass(_ time: Int64, peerSees: Bool) {
      for _ in 0..<(time / 500) {
        server.pass(500)
        server.handle(.registryFailed)
        server.echo()
        server.beat(of: 1, seesRegistry: peerSees, canWrite: peerSees)
      }
    }
    server.handle(.store(canWrite: false))
    pass(20_000, peerSees: false)
    #expect(server.membership.unreadiness(at: server.now) == nil && server.leaves == [])
    pass(1_000, peerSees: true)
    #expect(server.membership.unreadiness(at: server.now) == nil)
    pass(3_000, peerSees: true)
    #expect(
      server.membership.unreadiness(at: server.now) == .isolated(.isolatedFromRegistry))
  }

  @Test("without bus and registry stays ready for the allowed isolation time")
  func cutOff() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(1_000, of: [1])
    var unreadyAt: Int64?
    let lastContact = server.now
    while unreadyAt == nil, server.now < lastContact + 20_000 {
      server.pass(500)
      server.handle(.registryFailed)
      if server.membership.unreadiness(at: server.now) != nil { unreadyAt = server.now }
    }
    // From the first beat and question that are missed.
    #expect(unreadyAt == lastContact + 5_500 && server.leaves == [])
    #expect(server.membership.unreadiness(at: server.now) == .alone)
    server.answer()
    server.echo()
    server.pass(500)
    #expect(server.membership.unreadiness(at: server.now) == nil)
  }

  @Test("builds the ring from the registry's rows, and sends news when its own row has changed")
  func ring() {
    var server = TestMembership(peers: 3)
    server.settle()
    server.rows[1].state = .draining
    server.rows[2].state = .joining
    server.answer()
    #expect(server.membership.ring.members.map(\.slot).sorted() == [0, 1, 3])
    #expect(server.membership.ring.homes.map(\.slot).sorted() == [0, 3])
    server.newsCount = 0
    server.handle(.drain)
    server.answer()
    #expect(server.written.last == .draining && server.newsCount == 1)
  }

  @Test("reads the registry on news, immediately and one query at a time")
  func news() {
    var server = TestMembership(peers: 1)
    server.settle()
    let count = server.written.count
    server.beat(of: 1, hasNews: true)
    server.beat(of: 1, hasNews: true)
    #expect(server.written.count == count + 1)
    server.answer()
    #expect(server.written.count == count + 2)
    server.answer()
    server.handle(.stranger)
    #expect(server.written.count == count + 3)
  }

  @Test("measures how long it is deaf from its start, until it receives its own heartbeat")
  func deafness() {
    var server = TestMembership()
    server.handle(.mayServe)
    server.pass(4_000)
    #expect(server.membership.echoAge(at: server.now) == 4_000)
    server.echo()
    #expect(server.membership.echoAge(at: server.now) == 0)
  }

  @Test("ignores a forged heartbeat number far ahead, and still hears the server")
  func forgedNumber() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(1_000, of: [1])
    for _ in 0..<3 { server.beat(of: 1, number: 1 << 60) }
    server.passWithBeats(3_000, of: [1])
    #expect(server.silent == [])
  }

  @Test("accepts a number far ahead when the next number follows")
  func jump() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(3_000, of: [])
    let peer = server.rows[1].member.id
    #expect(server.silent == [peer])
    server.beat(of: 1, number: 500)
    server.passWithoutBeats(500)
    #expect(server.silent == [peer])
    server.beat(of: 1, number: 501)
    server.passWithoutBeats(500)
    #expect(server.silent == [])
  }

  @Test("checks a silent server's lock if it hears itself and has known the registry for some time")
  func silence() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    server.passWithBeats(1_000, of: [2])
    #expect(server.declared == [])
    server.passWithBeats(500, of: [2])
    #expect(server.declared == [.declareDead(server.rows[1].member.id, .lockIsFree)])
    // A beat from before says nothing.
    server.beat(of: 1, number: 1)
    server.passWithBeats(500, of: [2])
    #expect(server.declared.count == 2)

    var deaf = TestMembership(peers: 1)
    deaf.settle()
    deaf.passWithBeats(3_000, of: [1])
    for _ in 0..<8 { deaf.passWithoutBeats(500) }
    #expect(deaf.declared == [])
  }

  @Test("ignores a free lock for some time if the registry may have restarted")
  func reconnected() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    server.handle(.registryReconnected)
    server.answer()
    server.passWithBeats(1_500, of: [2])
    #expect(server.declared == [])
    server.passWithBeats(500, of: [2])
    #expect(server.declared == [.declareDead(server.rows[1].member.id, .lockIsFree)])
  }

  @Test("a server whose bus has recovered is heard immediately, and writes its row")
  func busIsBack() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.pass(100)
    let (beats, rows) = (server.beatCount, server.written.count)
    server.handle(.busOpened)
    #expect(server.beatCount == beats + 1 && server.written.count == rows + 1)
  }

  @Test(
    "checks a server whose registry heartbeats are too old, unless the registry was unreachable")
  func timeOut() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(4_000, of: [1])
    server.rows[1].beatAt = server.registryTime - 3_001
    server.answer()
    #expect(server.declared == [.declareDead(server.rows[1].member.id, .noBeat(for: 3_000))])

    var other = TestMembership(peers: 1)
    other.settle()
    other.passWithBeats(4_000, of: [1])
    other.handle(.registryFailed)
    other.rows[1].beatAt = other.registryTime - 3_001
    other.pass(500)
    other.answer()
    #expect(other.declared == [])
  }

  @Test(
    "a step of the registry's clock removes no live server, but later a hung one is removed",
    arguments: [3_600_000, -3_600_000] as [Int64])
  func registryStep(by step: Int64) {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(4_000, of: [1])
    server.stepped = step
    // The peer's beat is from before the step.
    server.answer()
    #expect(server.declared == [])
    server.passWithBeats(6_000, of: [1])
    #expect(server.declared == [])
    let peer = server.rows[1].member.id
    for _ in 0..<7 {
      server.pass(500)
      server.echo()
      server.beat(of: 1)
      server.answer()
    }
    #expect(server.declared == [.declareDead(peer, .noBeat(for: 3_000))])
  }

  @Test("a server that hung before the registry's clock was set back is detected")
  func hungBeforeStep() {
    let peer = 1
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(4_000, of: [peer])
    server.stepped = -3_600_000
    for _ in 0..<8 {
      server.pass(500)
      server.echo()
      server.beat(of: peer)
      server.answer()
    }
    let death = MembershipAction.declareDead(server.rows[peer].member.id, .noBeat(for: 3_000))
    #expect(server.declared.contains(death))
  }

  @Test("checks the lock and the heartbeats of a hung server, each once they are meaningful")
  func moments() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(4_000, of: [1])
    let lastBeat = server.now
    let peer = server.rows[1].member.id
    var (lockAt, beatAt): (Int64?, Int64?)
    while beatAt == nil, server.now < lastBeat + 10_000 {
      server.pass(max(1, server.membership.deadline - server.now))
      server.echo()
      server.answer()
      if server.declared.contains(.declareDead(peer, .lockIsFree)) { lockAt = lockAt ?? server.now }
      if server.declared.contains(.declareDead(peer, .noBeat(for: 3_000))) { beatAt = server.now }
    }
    #expect(lockAt == lastBeat + 1_001 && beatAt == lastBeat + 3_001)
  }

  @Test("lists the servers that are not heard, while they are not heard")
  func silentServers() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(2_000, of: [1, 2])
    #expect(server.silent == [])
    server.passWithBeats(2_000, of: [2])
    #expect(server.silent == [server.rows[1].member.id])
    // Beats that come after a tick count in the next one.
    server.passWithBeats(1_000, of: [1, 2])
    #expect(server.silent == [])
  }

  @Test("resets the silence of other servers after it was paused itself")
  func stopped() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.passWithBeats(4_000, of: [1])
    server.pass(60_000)
    server.rows[1].beatAt = server.registryTime - 60_000
    server.answer()
    server.echo()
    server.pass(500)
    #expect(server.declared == [] && server.leaves == [])
  }

  @Test("leaves when its row is missing or marked dead")
  func declaredDead() {
    var server = TestMembership(peers: 1)
    server.settle()
    server.rows.removeFirst()
    server.answer()
    #expect(server.leaves == [.declaredDead])
    #expect(server.membership.ring.members.map(\.slot) == [1])
    let count = server.written.count
    server.pass(5_000)
    #expect(server.written.count == count && server.membership.deadline == .max)
  }

  @Test(
    "leaves when it hears nothing and others do, but not when all are deaf",
    arguments: [true, false])
  func deafness(othersHear: Bool) {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    for index in 1...2 { server.rows[index].isOnBus = othersHear }
    for second in 0..<16 {
      server.passWithoutBeats(500)
      if second < 10 { #expect(server.leaves == []) }
    }
    #expect(server.leaves == (othersHear ? [.isolatedFromBus] : []))
    #expect((server.membership.unreadiness(at: server.now) == nil) == !othersHear)
  }

  @Test("stays ready and a home when the bus fails for all, even if the others notice later")
  func busEnds() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    let end = server.now
    while server.now < end + 20_000 {
      server.pass(100)
      server.writePeers { [now = server.now] in now - end <= 1_500 }
      if server.isAsked { server.answer() }
      #expect(server.membership.unreadiness(at: server.now) == nil, "\(server.now - end) ms")
    }
    #expect(server.written.last == .live && server.leaves == [])
  }

  @Test("becomes unready, then no home, and leaves in time when only it loses the bus")
  func losesBus() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    let end = server.now
    var (unreadyAt, yieldedAt, leftAt): (Int64?, Int64?, Int64?)
    while leftAt == nil, server.now < end + 20_000 {
      server.pass(100)
      server.writePeers { true }
      if server.isAsked { server.answer() }
      let unreadiness = server.membership.unreadiness(at: server.now)
      if unreadiness != nil { unreadyAt = unreadyAt ?? server.now }
      if server.written.last == .draining { yieldedAt = yieldedAt ?? server.now }
      if !server.leaves.isEmpty { leftAt = server.now }
    }
    // The first beat that is missed is half a second after the last that came back.
    #expect(unreadyAt.map { $0 - end <= 4_000 } == true, "\(unreadyAt ?? 0)")
    #expect(yieldedAt.map { $0 - end <= 3_500 } == true, "\(yieldedAt ?? 0)")
    #expect(leftAt == end + 5_500 && server.leaves == [.isolatedFromBus])
  }

  @Test("waits for a while before it leaves when other servers hear a restored bus first")
  func busReturns() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    func pass(_ time: Int64, othersHear: Bool) {
      for _ in 0..<(time / 100) {
        server.pass(100)
        server.writePeers { othersHear }
        if server.isAsked { server.answer() }
      }
    }
    pass(60_000, othersHear: false)
    pass(2_000, othersHear: true)
    #expect(server.membership.unreadiness(at: server.now) == nil)
    #expect(server.written.last == .live && server.leaves == [])
    server.echo()
    pass(600, othersHear: true)
    #expect(server.membership.unreadiness(at: server.now) == nil)
  }

  @Test("waits indefinitely for a bus that it has never heard")
  func neverHeard() {
    var server = TestMembership(peers: 2)
    server.handle(.mayServe)
    for _ in 0..<200 {
      server.pass(100)
      server.writePeers { true }
      if server.isAsked { server.answer() }
    }
    #expect(server.leaves == [] && server.written.last == .joining)
    #expect(server.membership.unreadiness(at: server.now) == .noHome)
    #expect(!server.membership.hasHeardBus)
  }

  @Test("is no home while it is deaf and others are not, and one again when it hears")
  func yields() {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    for _ in 0..<10 { server.passWithoutBeats(500) }
    #expect(server.written.last == .draining && server.leaves == [])
    #expect(server.membership.ring.homes.map(\.slot).sorted() == [1, 2])
    server.echo()
    server.passWithBeats(1_000, of: [1, 2])
    #expect(server.written.last == .live && server.leaves == [])
    #expect(server.membership.ring.homes.count == 3)
  }

  @Test("leaves when only it cannot reach the registry", arguments: [true, false])
  func registryAway(othersReach: Bool) {
    var server = TestMembership(peers: 2)
    server.settle()
    server.passWithBeats(3_000, of: [1, 2])
    for _ in 0..<20 {
      server.handle(.registryFailed)
      server.echo()
      for peer in 1...2 { server.beat(of: peer, seesRegistry: othersReach) }
      server.pass(500)
    }
    #expect(server.leaves == (othersReach ? [.isolatedFromRegistry] : []))
  }

  @Test("never leaves when it is the only server")
  func alone() {
    var server = TestMembership()
    server.settle()
    for _ in 0..<60 {
      server.handle(.registryFailed)
      server.pass(500)
    }
    #expect(server.leaves == [] && server.declared == [])
  }
}
