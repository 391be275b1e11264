import ClientTransport
@testable import ParleyClient
import ParleyProtocol
import Testing
import HTTP

@Suite("Losing and closing a session")
struct SessionLosingTests {
  @Test(
    "close codes decide whether the client reconnects",
    arguments: [
      (1000, true), (1001, true), (1011, true), (1012, true), (1013, true), (4001, true),
      (4004, true), (4005, true), (4999, true),
      (1002, false), (1003, false), (1007, false), (1008, false), (1009, false), (4002, false),
      (4003, false),
    ] as [(UInt16, Bool)])
  func closeCodes(code: UInt16, comesBack: Bool) throws {
    var rig = SessionRig()
    try rig.connect()
    let call = try rig.call("channel.get", "{}", .safe)
    _ = rig.takeEvents()
    try rig.lose(.closedByPeer(code: code, reason: "why"))
    let state = try #require(rig.takeStates().last)
    switch state {
    case .reconnecting(let attempt, _, _):
      #expect(comesBack)
      #expect(attempt == 1)
      try rig.advance(by: 1000)
      #expect(rig.connectCount == 2)
    case .disconnected:
      #expect(!comesBack)
      #expect(rig.error(call) != nil)
      #expect(rig.machine.nextDeadline == nil)
    default: Issue.record("\(state)")
    }
  }

  @Test("4002 is reported as unauthorized, 4003 as too many sessions")
  func reasons() throws {
    for (code, reason) in [
      (4002, DisconnectionReason.unauthorized("why")), (4003, .tooManySessions),
    ] as [(UInt16, DisconnectionReason)] {
      var rig = SessionRig()
      try rig.connect()
      try rig.lose(.closedByPeer(code: code, reason: "why"))
      #expect(rig.takeStates().last == .disconnected(because: reason))
    }
  }

  @Test("delays grow until a connection has lasted ten seconds")
  func pauses() throws {
    var rig = SessionRig()
    try rig.connect()
    var waits: [Duration] = []
    func wait(_ states: [ConnectionState]) throws -> Duration {
      guard case .reconnecting(_, let wait, _)? = states.last else {
        throw ParleyError.notConnected
      }
      return wait
    }
    for ceiling: UInt64 in [500, 1000, 2000] {
      rig.random = ceiling
      try rig.lose()
      waits.append(try wait(rig.takeStates()))
      try rig.comeBack()
    }
    #expect(waits == [.milliseconds(500), .milliseconds(1000), .milliseconds(2000)])
    try rig.advance(by: 10_000)
    rig.random = 500
    try rig.lose()
    #expect(try wait(rig.takeStates()) == .milliseconds(500))
  }

  @Test("Retry-After is honoured")
  func retryAfter() throws {
    var rig = SessionRig()
    try rig.connect()
    try rig.lose()
    try rig.advance(by: 1000)
    try rig.lose(.failed(ConnectionFailure(.unavailable(retryAfter: 20_000), "503")))
    try rig.advance(by: 19_999)
    #expect(rig.connectCount == 2)
    try rig.advance(by: 1)
    #expect(rig.connectCount == 3)
  }

  @Test(
    "a client leaves a draining server and returns at the time it named", arguments: [true, false])
  func draining(serverCloses: Bool) throws {
    var rig = SessionRig()
    try rig.connect()
    rig.random = 400
    try rig.receive(
      #"{"jsonrpc":"2.0","method":"server.draining","params":{"ts":1,"reconnect_after_ms":7000}}"#)
    guard case .notification("server.draining", _)? = rig.takeEvents().last else {
      Issue.record("the event was not delivered")
      return
    }
    if serverCloses {
      try rig.advance(by: 3000)
      try rig.lose(.closedByPeer(code: 1001, reason: "draining"))
      try rig.advance(by: 3999)
      #expect(rig.connectCount == 1)
      try rig.advance(by: 1)
    } else {
      try rig.advance(by: 7000)
      let held = try rig.call("channel.get")
      #expect(rig.sent.last?.method == "session.open")
      try rig.advance(by: 2000)
      #expect(rig.closings == [.goingAway])
      try rig.advance(by: 0)
      #expect(rig.results[held] == nil)
    }
    #expect(rig.connectCount == 2)
  }

  @Test("a silent server is pinged, and abandoned when it stays silent")
  func liveness() throws {
    var rig = SessionRig()
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.answerOpen(pingInterval: 20_000)
    try rig.advance(by: 29_999)
    #expect(rig.pingCount == 0)
    try rig.advance(by: 1)
    #expect(rig.pingCount == 1)
    try rig.handle(.signOfLife)
    try rig.advance(by: 30_000)
    #expect(rig.pingCount == 2)
    try rig.advance(by: 9999)
    #expect(rig.closings.isEmpty)
    try rig.advance(by: 1)
    #expect(rig.closings == [.dead])
  }

  @Test("closing waits for the responses of sent calls, and does not reconnect")
  func closing() throws {
    var rig = SessionRig()
    try rig.connect()
    let call = try rig.call("channel.get")
    let request = try #require(rig.sent.last)
    let id = rig.nextID()
    try rig.handle(.close(id))
    #expect(rig.sent.last?.method == "session.close")
    let late = try rig.call("channel.get")
    #expect(rig.error(late) == .notConnected)
    try rig.answer(request, "{}")
    #expect(rig.result(call) == "{}")
    #expect(rig.results[id] == nil)
    try rig.lose(.closedByPeer(code: 1000, reason: ""))
    #expect(rig.result(id) == "{}")
    #expect(rig.takeStates().last == .disconnected(because: .requested))
    #expect(rig.machine.nextDeadline == nil)
  }

  @Test("a server that does not close is disconnected after three seconds")
  func closingTimeout() throws {
    var rig = SessionRig()
    try rig.connect()
    let call = try rig.call("channel.get")
    let id = rig.nextID()
    try rig.handle(.close(id))
    try rig.advance(by: 3000)
    #expect(rig.closings == [.finished])
    #expect(rig.result(id) == "{}")
    #expect(rig.error(call) == .cancelled)
  }

  @Test("closing works in every state")
  func closingAnywhere() throws {
    var idle = SessionRig()
    let first = idle.nextID()
    try idle.handle(.close(first))
    #expect(idle.result(first) == "{}")

    var connecting = SessionRig()
    let open = try connecting.open()
    let second = connecting.nextID()
    try connecting.handle(.close(second))
    #expect(connecting.error(open) == .cancelled)
    #expect(connecting.result(second) == "{}")

    var pausing = SessionRig()
    try pausing.connect()
    try pausing.lose()
    let third = pausing.nextID()
    try pausing.handle(.close(third))
    #expect(pausing.result(third) == "{}")
    #expect(pausing.machine.nextDeadline == nil)
    try pausing.connect()
    #expect(pausing.takeStates().last == .connected)
  }
}
