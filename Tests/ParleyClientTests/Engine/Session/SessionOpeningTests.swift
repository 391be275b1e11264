import ClientTransport
@testable import ParleyClient
import ParleyProtocol
import Testing
import HTTP

@Suite("Opening a session")
struct SessionOpeningTests {
  @Test("session.open is the first request and carries the credentials")
  func firstRequest() throws {
    var rig = SessionRig()
    let id = try rig.open(
      SessionCredentials(
        userID: "jeff", accessToken: "t", nickname: "Jeff", profileURL: "https://a.b/c"))
    #expect(rig.connectCount == 1)
    #expect(rig.sent.isEmpty)
    try rig.handle(.connectionOpened)
    let request = try #require(rig.sent.first)
    #expect(request.method == "session.open")
    #expect(request.params["user_id"]?.string == "jeff")
    #expect(request.params["access_token"]?.string == "t")
    #expect(request.params["nickname"]?.string == "Jeff")
    #expect(request.params["profile_url"]?.string == "https://a.b/c")
    try rig.answer(request, #"{"session_id":"s"}"#)
    #expect(rig.result(id) == #"{"session_id":"s"}"#)
    #expect(rig.takeStates() == [.connecting, .connected])
  }

  @Test("reconnecting sends the token again, but not the profile")
  func profileOnce() throws {
    var rig = SessionRig()
    _ = try rig.open(SessionCredentials(userID: "jeff", accessToken: "t", nickname: "Jeff"))
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    try rig.lose()
    try rig.comeBack()
    let request = try #require(rig.sent.last)
    #expect(request.params["nickname"] == nil)
    #expect(request.params["access_token"]?.string == "t")
  }

  @Test("events of groups are declined only if the settings say so", arguments: [true, false])
  func groups(receives: Bool) throws {
    var settings = SessionMachine.Settings()
    settings.receivesGroups = receives
    var rig = SessionRig(settings)
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    #expect(try #require(rig.sent.last).params["groups"]?.bool == (receives ? nil : false))
  }

  @Test("file keys in responses are delivered; a response without one removes none")
  func fileKeys() throws {
    var rig = SessionRig()
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.answer(
      try #require(rig.sent.last),
      #"{"session_id":"s","file_key":{"key":"a","expires_at":5}}"#)
    #expect(rig.takeFileKeys() == [nil, FileKey(key: "a", expiresAt: 5)])
    try rig.handle(.refresh(rig.nextID(), accessToken: "t2"))
    try rig.answer(try #require(rig.sent.last), #"{"file_key":{"key":"b","expires_at":6}}"#)
    #expect(rig.takeFileKeys() == [FileKey(key: "b", expiresAt: 6)])
    try rig.lose()
    try rig.comeBack()
    #expect(rig.takeFileKeys() == [])
  }

  @Test("a refused token fails the first connection at once")
  func unauthorized() throws {
    var rig = SessionRig()
    let id = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.refuse(try #require(rig.sent.last), 400_302)
    #expect(rig.error(id) == .unauthorized("no"))
    #expect(rig.closings == [.finished])
    #expect(
      rig.takeStates() == [.connecting, .disconnected(because: .unauthorized("no"))])
    #expect(rig.machine.nextDeadline == nil)
  }

  @Test("each session begins with the features of its server")
  func features() throws {
    var rig = SessionRig()
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.answer(
      try #require(rig.sent.last), #"{"session_id":"s","features":{"previews":true}}"#)
    try rig.lose()
    try rig.advance(by: 60_000)
    try rig.handle(.connectionOpened)
    try rig.answer(
      try #require(rig.sent.last), #"{"session_id":"s","features":{"files":{"max_bytes":9}}}"#)
    let features = rig.takeEvents().compactMap { event in
      if case .featuresChanged(let features) = event { features } else { nil }
    }
    #expect(
      features == [
        ServerFeatures(hasPreviews: true), ServerFeatures(files: .init(maxBytes: 9)),
      ])
  }

  @Test("opening a session is retried when the server fails")
  func transientRefusal() throws {
    var rig = SessionRig()
    let id = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.refuse(try #require(rig.sent.last), 500_901)
    #expect(rig.results[id] == nil)
    try rig.advance(by: 1000)
    #expect(rig.connectCount == 2)
  }

  @Test("a first connection is tried until its time limit, then fails with the last error")
  func connectTimeout() throws {
    var rig = SessionRig()
    let id = try rig.open()
    for _ in 0..<100 where rig.results[id] == nil {
      try rig.lose(.failed(ConnectionFailure(.temporary, "connect: refused")))
      try rig.advance(by: 1000)
    }
    #expect(rig.error(id) == .connectionFailed("connect: refused"))
    #expect(rig.connectCount == 30)
    #expect(
      rig.takeStates() == [
        .connecting, .disconnected(because: .unreachable("connect: refused")),
      ])
  }

  @Test("a connection that is never established fails at the time limit")
  func silentConnect() throws {
    var rig = SessionRig()
    let id = try rig.open()
    #expect(rig.machine.nextDeadline == rig.now + 30_000)
    try rig.advance(by: 30_000)
    guard case .connectionFailed = rig.error(id) else {
      Issue.record("\(String(describing: rig.error(id)))")
      return
    }
    #expect(rig.closings == [.finished])
  }

  @Test("a permanent failure ends the first connection attempt at once, but never a later one")
  func lastingFailure() throws {
    let end = ConnectionEnd.failed(ConnectionFailure(.lasting, "wrong certificate"))
    var rig = SessionRig()
    let id = try rig.open()
    try rig.lose(end)
    #expect(rig.error(id) == .connectionFailed("wrong certificate"))

    var later = SessionRig()
    try later.connect()
    try later.lose()
    try later.advance(by: 60_000)
    try later.lose(end)
    try later.comeBack()
    #expect(later.connectCount == 3)
  }

  @Test("a connection closed before the session is open is reported as a failed connection")
  func closedWhileOpening() throws {
    var rig = SessionRig()
    let id = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.lose(.closedByPeer(code: 1008, reason: "go away"))
    #expect(rig.error(id) == .connectionFailed("the protocol was broken: go away"))
  }

  @Test("a second open is refused, and has no effect")
  func secondOpen() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = try rig.open()
    guard case .invalidConfiguration = rig.error(id) else {
      Issue.record("\(String(describing: rig.error(id)))")
      return
    }
    let call = try rig.call("session.ping")
    #expect(rig.results[call] == nil)
  }

  @Test("without a session calls fail with notConnected")
  func notConnected() throws {
    var rig = SessionRig()
    let call = try rig.call("session.ping")
    #expect(rig.error(call) == .notConnected)
  }

  @Test("calls made during the first connection attempt are sent once it is established")
  func queuedCalls() throws {
    var rig = SessionRig()
    _ = try rig.open()
    _ = try rig.call("channel.list")
    _ = try rig.call("channel.get")
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    #expect(rig.sent.map(\.method) == ["session.open", "channel.list", "channel.get"])
  }

  @Test("a session.open that is not answered times out")
  func openTimeout() throws {
    var rig = SessionRig()
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.advance(by: 10_000)
    #expect(rig.closings == [.dead])
    try rig.advance(by: 1000)
    #expect(rig.connectCount == 2)
  }

  @Test("cancelling the first connection ends it")
  func cancelOpen() throws {
    var rig = SessionRig()
    let id = try rig.open()
    try rig.handle(.cancel(id))
    #expect(rig.error(id) == .cancelled)
    #expect(rig.closings == [.finished])
    #expect(rig.takeStates().last == .disconnected(because: .requested))
  }

  @Test("a refreshed token opens the next session")
  func refresh() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = rig.nextID()
    try rig.handle(.refresh(id, accessToken: "t2"))
    let request = try #require(rig.sent.last)
    #expect(request.method == "session.refresh")
    #expect(request.params["access_token"]?.string == "t2")
    try rig.answer(request, "{}")
    #expect(rig.result(id) == "{}")
    try rig.lose()
    try rig.comeBack()
    #expect(rig.sent.last?.params["access_token"]?.string == "t2")
  }

  @Test(
    "the expiry of a token is reported when two thirds of its time have passed, at the earliest")
  func expiry() throws {
    var rig = SessionRig()
    try rig.connect()
    let notice =
      #"{"jsonrpc":"2.0","method":"session.expiring","params":{"ts":5000,"expires_at":35000}}"#
    func notices() -> Int {
      rig.events.count {
        if case .notification(method: "session.expiring", params: _) = $0 { true } else { false }
      }
    }
    try rig.handle(.textReceived(Array(notice.utf8)))
    #expect(notices() == 0)
    let deadline = rig.machine.nextDeadline
    #expect(try #require(deadline) <= rig.now + 20_000)
    for _ in 0..<4 {
      try rig.advance(by: 4_999)
      try rig.handle(.signOfLife)
    }
    #expect(notices() == 0)
    try rig.advance(by: 4)
    #expect(notices() == 1)
    try rig.advance(by: 1_000)
    #expect(notices() == 1)
    // A token that has lived long enough.
    try rig.advance(by: 100_000)
    try rig.handle(.textReceived(Array(notice.utf8)))
    #expect(notices() == 2)
    // Its successor lives for seconds again.
    try rig.handle(.refresh(rig.nextID(), accessToken: "t2"))
    try rig.answer(try #require(rig.sent.last), "{}")
    try rig.handle(.textReceived(Array(notice.utf8)))
    #expect(notices() == 2)
  }

  @Test("a refused refresh keeps the old token")
  func refusedRefresh() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = rig.nextID()
    try rig.handle(.refresh(id, accessToken: "t2"))
    try rig.refuse(try #require(rig.sent.last), 400_302)
    #expect(rig.error(id) == .unauthorized("no"))
    try rig.lose()
    try rig.comeBack()
    #expect(rig.sent.last?.params["access_token"]?.string == "t1")
  }

  @Test(
    "a refresh made offline, or whose response is lost, is used by the next connection",
    arguments: [true, false])
  func refreshWhileAway(isSent: Bool) throws {
    var rig = SessionRig()
    try rig.connect()
    let id = rig.nextID()
    if isSent { try rig.handle(.refresh(id, accessToken: "t2")) }
    try rig.lose()
    if !isSent { try rig.handle(.refresh(id, accessToken: "t2")) }
    #expect(rig.result(id) == "{}")
    try rig.comeBack()
    #expect(rig.sent.last?.params["access_token"]?.string == "t2")
  }

  @Test("a session.open that is not answered times out soon, however long calls may take")
  func openTimeoutOfPatientClients() throws {
    var rig = SessionRig(
      SessionMachine.Settings(requestTimeout: 3_600_000, connectTimeout: 3_600_000))
    _ = try rig.open()
    try rig.handle(.connectionOpened)
    try rig.advance(by: 15_000)
    #expect(rig.closings == [.dead])
  }
}
