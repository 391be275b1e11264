@testable import ParleyClient
import ParleyProtocol
import Testing

@Suite("Calls of a session")
struct SessionCallsTests {
  @Test("responses are matched to calls by ID, in any order")
  func matching() throws {
    var rig = SessionRig()
    try rig.connect()
    let first = try rig.call("channel.get", #"{"channel_url":"a"}"#)
    let second = try rig.call("channel.get", #"{"channel_url":"b"}"#)
    let requests = rig.sent.suffix(2)
    try rig.answer(try #require(requests.last), #"{"n":2}"#)
    #expect(rig.results[first] == nil)
    try rig.answer(try #require(requests.first), #"{"n":1}"#)
    #expect(rig.result(first) == #"{"n":1}"#)
    #expect(rig.result(second) == #"{"n":2}"#)
  }

  @Test("refusals are mapped to their typed errors")
  func refusals() throws {
    let table: [(Int, String, ParleyError)] = [
      (900_200, #"{"retry_after_ms":180}"#, .tooManyMessages(retryAfter: .milliseconds(180))),
      (500_910, #"{"retry_after_ms":20}"#, .rateLimited(retryAfter: .milliseconds(20))),
      (400_750, "{}", .banned), (900_041, "{}", .muted), (900_050, "{}", .frozen),
      (900_020, "{}", .notInChannel), (400_201, "{}", .notFound("no")),
      (400_302, "{}", .unauthorized("no")), (400_300, "{}", .unauthorized("no")),
      (
        400_105, #"{"field":"message"}"#,
        .refused(code: 400_105, message: "no", field: "message")
      ),
    ]
    var rig = SessionRig()
    try rig.connect()
    for (code, data, error) in table {
      let id = try rig.call("message.send")
      try rig.refuse(try #require(rig.sent.last), code, data)
      #expect(rig.error(id) == error)
    }
  }

  @Test("a call that is not answered in time fails, and its late response is ignored")
  func timeout() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = try rig.call("channel.get")
    try rig.advance(by: 9999)
    #expect(rig.results[id] == nil)
    #expect(rig.machine.nextDeadline == rig.now + 1)
    try rig.advance(by: 1)
    #expect(rig.error(id) == .timedOut)
    try rig.answer(try #require(rig.sent.last), "{}")
    #expect(rig.error(id) == .timedOut)
  }

  @Test("a call's own time limit replaces the default, also without a connection")
  func ownTimeout() throws {
    for limit: Int64 in [1000, 30_000] {
      var rig = SessionRig()
      try rig.connect()
      try rig.lose()
      let id = rig.nextID()
      let call = EngineCall(
        method: "preview.fetch", params: Array("{}".utf8), repeatability: .safe, timeout: limit)
      try rig.handle(.call(id, call))
      try rig.advance(by: limit - 1)
      #expect(rig.results[id] == nil)
      try rig.advance(by: 1)
      #expect(rig.error(id) == .timedOut)
    }
  }

  @Test("a withdrawn call fails at once if it was not sent, and otherwise ends with its response")
  func withdrawn() throws {
    var rig = SessionRig()
    try rig.connect()
    let sent = try rig.call("file.create", "{}", .safe)
    let request = try #require(rig.sent.last)
    try rig.handle(.withdraw(sent))
    #expect(rig.results[sent] == nil)
    try rig.answer(request, #"{"n":1}"#)
    #expect(rig.result(sent) == #"{"n":1}"#)
    try rig.handle(.withdraw(sent))
    try rig.lose()
    let waiting = try rig.call("file.create", "{}", .safe)
    try rig.handle(.withdraw(waiting))
    #expect(rig.error(waiting) == .cancelled)
  }

  @Test("a cancelled call fails at once")
  func cancelled() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = try rig.call("channel.get")
    try rig.handle(.cancel(id))
    #expect(rig.error(id) == .cancelled)
    try rig.handle(.cancel(id))
    try rig.answer(try #require(rig.sent.last), "{}")
  }

  @Test("more calls than allowed are refused until one is answered")
  func tooMany() throws {
    var rig = SessionRig(SessionMachine.Settings(maximumPendingCalls: 2))
    try rig.connect()
    _ = try rig.call("a")
    _ = try rig.call("b")
    let third = try rig.call("c")
    #expect(rig.error(third) == .tooManyPending(limit: 2))
    try rig.answer(try #require(rig.sent.last), "{}")
    let fourth = try rig.call("d")
    #expect(rig.results[fourth] == nil)
  }

  @Test("more bytes than allowed are refused")
  func tooManyBytes() throws {
    var rig = SessionRig(SessionMachine.Settings(maximumPendingBytes: 1000))
    try rig.connect()
    _ = try rig.call("a", "{\"m\":\"\(String(repeating: "x", count: 800))\"}")
    let second = try rig.call("b", "{\"m\":\"\(String(repeating: "x", count: 200))\"}")
    #expect(rig.error(second) == .tooManyPending(limit: 1000))
  }

  @Test("a request larger than the server accepts is not sent")
  func oversized() throws {
    var rig = SessionRig()
    try rig.connect()
    let count = rig.sent.count
    let id = try rig.call("message.send", "{\"m\":\"\(String(repeating: "x", count: 2000))\"}")
    #expect(rig.error(id)?.code == 400_110)
    #expect(rig.sent.count == count)
  }

  @Test("calls whose responses are lost are repeated or fail according to their repeatability")
  func lostAnswers() throws {
    var rig = SessionRig()
    try rig.connect()
    let once = try rig.call("channel.freeze")
    let safe = try rig.call("channel.get", "{}", .safe)
    let identified = try rig.send("lobby", requestID: "r1")
    let unnamed = try rig.call("message.send", "{}", .identified)
    try rig.lose()
    #expect(rig.error(once) == .connectionLost)
    #expect(rig.error(unnamed) == .connectionLost)
    let unsent = try rig.call("channel.freeze")
    _ = rig.takeSent()
    // Within the calls' time.
    try rig.advance(by: 1000)
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    let again = rig.takeSent()
    #expect(
      again.map(\.method) == ["session.open", "channel.get", "message.send", "channel.freeze"])
    #expect(again[2].params["req_id"]?.string == "r1")
    for request in again.dropFirst() { try rig.answer(request, "{}") }
    for id in [safe, identified, unsent] { #expect(rig.result(id) == "{}") }
  }

  @Test("a send is not repeated when the server may have forgotten its req_id")
  func forgottenIdentity() throws {
    var rig = SessionRig(SessionMachine.Settings(requestTimeout: 3_600_000))
    try rig.connect()
    let id = try rig.send("lobby", requestID: "r1")
    try rig.advance(by: 20_000)
    for _ in 0..<60 {
      try rig.handle(.signOfLife)
      try rig.advance(by: 10_000)
    }
    try rig.lose()
    #expect(rig.error(id) == .connectionLost)
  }

  @Test("a response that is not JSON-RPC ends the connection, and its request is not repeated")
  func malformedAnswer() throws {
    var rig = SessionRig()
    try rig.connect()
    let safe = try rig.call("message.list", "{}", .safe)
    try rig.receive("{\"jsonrpc\":")
    #expect(rig.closings == [.protocolError])
    guard case .malformedAnswer = rig.error(safe) else {
      Issue.record("\(String(describing: rig.error(safe)))")
      return
    }
    try rig.comeBack()
    #expect(rig.connectCount == 2)
  }

  @Test("a connection on which no call is answered is abandoned")
  func unanswered() throws {
    var rig = SessionRig(SessionMachine.Settings(requestTimeout: 1000, maximumPendingCalls: 100))
    try rig.connect()
    for _ in 0..<400 where rig.closings.isEmpty {
      _ = try rig.call("channel.get")
      try rig.handle(.signOfLife)
      try rig.advance(by: 20)
    }
    #expect(rig.closings == [.dead])
  }

  @Test("a send is not repeated after an absence in which the server may have forgotten its req_id")
  func forgottenWhileAway() throws {
    var rig = SessionRig(SessionMachine.Settings(requestTimeout: 3_600_000))
    try rig.connect()
    let id = try rig.send("lobby", requestID: "r1")
    let unsent = try {
      try rig.lose()
      return try rig.send("lobby", requestID: "r2")
    }()
    _ = rig.takeSent()
    try rig.advance(by: 600_000)
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    #expect(rig.error(id) == .connectionLost)
    #expect(rig.results[unsent] == nil)
    let again = rig.takeSent().filter { $0.method == "message.send" }
    #expect(again.map { $0.params["req_id"]?.string } == ["r2"])
  }

  @Test("a dead connection is detected while there is time to send again")
  func deadConnection() throws {
    var rig = SessionRig()
    try rig.connect()
    try rig.advance(by: 20_000)
    let id = try rig.send("lobby", requestID: "r1")
    while rig.closings.isEmpty, rig.results.count == 1 {
      let deadline = rig.machine.nextDeadline
      rig.now = try #require(deadline)
      try rig.advance(by: 0)
    }
    #expect(rig.pingCount == 1)
    #expect(rig.closings == [.dead])
    try rig.advance(by: 0)
    _ = rig.takeSent()
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    let again = try #require(rig.sent.last)
    #expect(again.method == "message.send")
    try rig.answer(again, "{}")
    #expect(rig.result(id) == "{}")
  }

  @Test("a slow server that shows signs of life is not abandoned")
  func slowServer() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = try rig.call("channel.translate")
    for _ in 0..<9 {
      try rig.advance(by: 1000)
      if rig.pingCount > 0 { try rig.handle(.signOfLife) }
    }
    #expect(rig.pingCount == 1)
    try rig.answer(try #require(rig.sent.last), "{}")
    #expect(rig.result(id) == "{}")
  }

  @Test("no call limit is too large")
  func hugeLimit() throws {
    var rig = SessionRig(SessionMachine.Settings(maximumPendingCalls: .max))
    try rig.connect()
    _ = try rig.call("channel.get")
    try rig.advance(by: 1)
    #expect(rig.closings.isEmpty)
  }
}
