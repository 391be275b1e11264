import ClientTransport
@testable import ParleyClient
import ParleyProtocol
import Testing

@Suite("Channels of a session")
struct SessionChannelsTests {
  private static let tooLarge = ConnectionEnd.failed(
    ConnectionFailure(.messageTooLarge, "a message is larger than 1024 bytes"))

  private func answer(
    epoch: String = "e1", seq: Int64, recovered: Bool = true, _ events: [String] = []
  ) -> String {
    #"{"channel":{},"epoch":"\#(epoch)","seq":\#(seq),"recovered":\#(recovered),"events":[\#(events.joined(separator: ","))]}"#
  }

  private func entered(seq: Int64 = 5) throws -> SessionRig {
    var rig = SessionRig()
    try rig.connect()
    try rig.enter("lobby", seq: seq)
    return rig
  }

  @Test("an event at or below the last seq is not delivered again")
  func noDoubles() throws {
    var rig = try entered()
    for seq: Int64 in [6, 7, 7, 6, 5, 9, 8, 10] { try rig.receiveEvent("lobby", seq: seq) }
    #expect(try rig.takeSeqs() == [6, 7, 9, 10])
  }

  @Test("a delayed update is delivered after later events, and does not move the position")
  func lateUpdates() throws {
    var rig = try entered()
    try rig.receiveEvent("lobby", seq: 8)
    try rig.receive(
      #"{"jsonrpc":"2.0","method":"message.updated","params":{"channel_url":"lobby","seq":7,"message":{}}}"#
    )
    try rig.receiveEvent("lobby", seq: 8)
    #expect(try rig.takeSeqs() == [8, 7])
  }

  @Test("an event without seq, or of another channel, is always delivered")
  func untracked() throws {
    var rig = try entered()
    _ = rig.takeEvents()
    try rig.receive(
      #"{"jsonrpc":"2.0","method":"channel.throttled","params":{"channel_url":"lobby","withheld":3}}"#
    )
    try rig.receiveEvent("other", seq: 1)
    try rig.receiveEvent("other", seq: 1)
    #expect(rig.takeEvents().count == 3)
  }

  @Test("a channel is re-entered from the last event seen, and missed events come first")
  func recovers() throws {
    var rig = try entered()
    try rig.receiveEvent("lobby", seq: 6)
    try rig.lose()
    _ = rig.takeSent()
    _ = rig.takeEvents()
    try rig.comeBack()
    let request = try #require(rig.sent.last)
    #expect(request.method == "channel.enter")
    #expect(request.params["recover"]?["epoch"]?.string == "e1")
    #expect(request.params["recover"]?["seq"]?.integer == 6)
    let missed = [SessionRig.event("lobby", seq: 7), SessionRig.event("lobby", seq: 9)]
    try rig.answer(request, answer(seq: 9, missed))
    let events = rig.takeEvents()
    guard case .recovered("lobby", 2)? = events.last else {
      Issue.record("\(events)")
      return
    }
    try rig.receiveEvent("lobby", seq: 9)
    try rig.receiveEvent("lobby", seq: 10)
    #expect(try rig.takeSeqs() == [10])
  }

  @Test("calls wait until all channels are re-entered")
  func callsWait() throws {
    var rig = try entered()
    try rig.lose()
    _ = rig.takeSent()
    try rig.comeBack()
    _ = try rig.call("channel.get")
    #expect(rig.sent.map(\.method) == ["session.open", "channel.enter"])
    try rig.answer(try #require(rig.sent.last), answer(seq: 5))
    #expect(rig.sent.last?.method == "channel.get")
  }

  @Test("a log that does not reach back far enough leaves a gap")
  func gap() throws {
    var rig = try entered()
    try rig.lose()
    try rig.comeBack()
    _ = rig.takeEvents()
    try rig.answer(try #require(rig.sent.last), answer(epoch: "e2", seq: 3, recovered: false))
    guard case .recoveryFailed("lobby", .gap)? = rig.takeEvents().last else {
      Issue.record("no gap was told")
      return
    }
    try rig.receiveEvent("lobby", seq: 4)
    #expect(try rig.takeSeqs() == [4])
  }

  @Test("an unrecovered channel without new events has no gap")
  func nothingMissed() throws {
    var rig = try entered()
    try rig.lose()
    try rig.comeBack()
    _ = rig.takeEvents()
    try rig.answer(try #require(rig.sent.last), answer(seq: 5, recovered: false))
    guard case .recovered("lobby", 0)? = rig.takeEvents().last else {
      Issue.record("a gap was told")
      return
    }
  }

  @Test("entering and leaving are reported even when their calls were cancelled")
  func unawaited() throws {
    var rig = SessionRig()
    try rig.connect()
    let entering = try rig.call("channel.enter", "{}", .safe, .enter("lobby"))
    try rig.handle(.cancel(entering))
    _ = rig.takeEvents()
    try rig.answer(try #require(rig.sent.last), answer(seq: 5))
    guard case .entered("lobby")? = rig.takeEvents().first else {
      Issue.record("entering was not told")
      return
    }
    let leaving = try rig.call("channel.exit", "{}", .safe, .exit("lobby"))
    try rig.handle(.cancel(leaving))
    try rig.lose()
    guard case .left("lobby")? = rig.takeEvents().first else {
      Issue.record("leaving was not told")
      return
    }
  }

  @Test("a cancelled exit that was not sent changes nothing")
  func cancelledExit() throws {
    var rig = try entered()
    try rig.lose()
    try rig.comeBack()
    let entering = try #require(rig.sent.last)
    let exit = try rig.call("channel.exit", #"{"channel_url":"lobby"}"#, .safe, .exit("lobby"))
    try rig.handle(.cancel(exit))
    try rig.answer(entering, answer(seq: 5))
    try rig.lose()
    _ = rig.takeSent()
    try rig.comeBack()
    #expect(rig.sent.map(\.method) == ["session.open", "channel.enter"])
  }

  @Test("a channel that can't be re-entered is left, and the reason is reported")
  func refused() throws {
    for code in [400_750, 400_201, 400_203] {
      var rig = try entered()
      try rig.lose()
      try rig.comeBack()
      _ = rig.takeEvents()
      try rig.refuse(try #require(rig.sent.last), code)
      switch rig.takeEvents().last {
      case .recoveryFailed("lobby", .banned): #expect(code == 400_750)
      case .recoveryFailed("lobby", .deleted): #expect(code == 400_201)
      case .recoveryFailed("lobby", .refused): #expect(code == 400_203)
      case let event: Issue.record("\(String(describing: event))")
      }
      try rig.lose()
      _ = rig.takeSent()
      try rig.comeBack()
      #expect(rig.sent.map(\.method) == ["session.open"])
    }
  }

  @Test("re-entering is retried three times when the server fails")
  func transientFailure() throws {
    var rig = try entered()
    try rig.lose()
    for _ in 0..<2 {
      try rig.comeBack()
      try rig.refuse(try #require(rig.sent.last), 500_901)
      #expect(rig.closings.last == .finished)
    }
    try rig.comeBack()
    _ = rig.takeEvents()
    try rig.refuse(try #require(rig.sent.last), 500_901)
    guard case .recoveryFailed("lobby", .refused)? = rig.takeEvents().last else {
      Issue.record("nothing was told")
      return
    }
  }

  @Test("a channel that was left, deleted or closed to the user is not re-entered")
  func left() throws {
    for ending in 0..<3 {
      var rig = try entered()
      switch ending {
      case 0:
        _ = try rig.call("channel.exit", "{}", .safe, .exit("lobby"))
        try rig.answer(try #require(rig.sent.last), "{}")
      case 1: try rig.receiveEvent("lobby", seq: 6, "channel.deleted")
      default:
        try rig.receive(SessionRig.event("lobby", seq: 6, "channel.user_banned", user: "jeff"))
      }
      try rig.lose()
      _ = rig.takeSent()
      try rig.comeBack()
      #expect(rig.sent.map(\.method) == ["session.open"])
    }
  }

  @Test("another user's ban, and a refused exit, change nothing")
  func stillInside() throws {
    var rig = try entered()
    try rig.receive(SessionRig.event("lobby", seq: 6, "channel.user_banned", user: "ann"))
    _ = try rig.call("channel.exit", "{}", .safe, .exit("lobby"))
    try rig.refuse(try #require(rig.sent.last), 500_901)
    try rig.lose()
    _ = rig.takeSent()
    try rig.comeBack()
    #expect(rig.sent.map(\.method) == ["session.open", "channel.enter"])
  }

  @Test("the loss of the connection does not complete a deletion")
  func deletion() throws {
    var rig = SessionRig()
    try rig.connect()
    try rig.enter("lobby", seq: 1)
    let lost = try rig.call("channel.delete", "{}", .once, .delete("lobby"))
    try rig.lose()
    #expect(rig.error(lost) == .connectionLost)
    let waiting = try rig.call("channel.delete", "{}", .once, .delete("lobby"))
    #expect(rig.results[waiting] == nil)
    _ = rig.takeSent()
    try rig.advance(by: 1000)
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    // It is in the channel again before the call that waits.
    try rig.answer(
      try #require(rig.sent.last { $0.method == "channel.enter" }),
      #"{"channel":{},"epoch":"e1","seq":1,"recovered":true,"events":[]}"#)
    #expect(rig.machine.channels["lobby"]?.presence == .inside)
    let request = try #require(rig.sent.last)
    #expect(request.method == "channel.delete")
    try rig.answer(request, "{}")
    #expect(rig.result(waiting) == "{}")
    #expect(rig.machine.channels["lobby"] == nil)
  }

  @Test("an exit whose response is lost counts as done", arguments: [true, false])
  func lostExit(isSent: Bool) throws {
    var rig = try entered()
    if !isSent { try rig.lose() }
    let id = try rig.call("channel.exit", "{}", .safe, .exit("lobby"))
    if isSent { try rig.lose() }
    #expect(rig.result(id) == "{}")
    _ = rig.takeSent()
    try rig.comeBack()
    #expect(rig.sent.map(\.method) == ["session.open"])
  }

  @Test("re-entering on the same connection keeps the position")
  func enteringTwice() throws {
    var rig = try entered()
    try rig.receiveEvent("lobby", seq: 8)
    try rig.enter("lobby", seq: 7)
    _ = rig.takeEvents()
    try rig.receiveEvent("lobby", seq: 8)
    #expect(try rig.takeSeqs() == [])
  }

  @Test("an own message among the missed ones completes the send whose response was lost")
  func recoveredSend() throws {
    var rig = try entered()
    let first = try rig.send("lobby", requestID: "r1")
    let second = try rig.send("lobby", requestID: "r2")
    try rig.lose()
    _ = rig.takeSent()
    try rig.advance(by: 1000)
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    _ = rig.takeEvents()
    let missed = [
      SessionRig.event("lobby", seq: 6, user: "ann", requestID: "r1"),
      SessionRig.event("lobby", seq: 7, user: "jeff", requestID: "r1"),
    ]
    try rig.answer(try #require(rig.sent.last), answer(seq: 7, missed))
    #expect(try rig.takeSeqs() == [6])
    let message = try #require(rig.result(first))
    let root = try JSONDocument(message).root
    #expect(root["seq"]?.integer == 7)
    #expect(root["message"]?["message_id"]?.integer == 7)
    // Only the other is sent again.
    #expect(rig.sent.map(\.method) == ["session.open", "channel.enter", "message.send"])
    #expect(rig.sent.last?.params["req_id"]?.string == "r2")
    #expect(rig.results[second] == nil)
  }

  @Test("an own message in a group completes the send whose response was lost")
  func sendToGroup() throws {
    var rig = SessionRig()
    try rig.connect()
    let id = try rig.send("trip", requestID: "r1")
    try rig.lose()
    try rig.advance(by: 1000)
    try rig.handle(.connectionOpened)
    try rig.answerOpen()
    _ = rig.takeEvents()
    try rig.receive(SessionRig.event("trip", seq: 6, user: "ann", requestID: "r1"))
    try rig.receive(SessionRig.event("trip", seq: 7, user: "jeff", requestID: "r1"))
    #expect(try rig.takeSeqs() == [6])
    let root = try JSONDocument(#require(rig.result(id))).root
    #expect(root["seq"]?.integer == 7)
  }

  @Test("the event of an answered send is not repeated when its channel is recovered")
  func answeredSend() throws {
    var rig = try entered()
    _ = try rig.send("lobby", requestID: "r1")
    try rig.answer(try #require(rig.sent.last), #"{"message":{},"seq":8}"#)
    try rig.lose()
    try rig.comeBack()
    let request = try #require(rig.sent.last)
    // What came before the answer may not have been seen.
    #expect(request.params["recover"]?["seq"]?.integer == 5)
    _ = rig.takeEvents()
    let missed = (6...9).map {
      SessionRig.event("lobby", seq: $0, user: $0 == 8 ? "jeff" : "ann")
    }
    try rig.answer(request, answer(seq: 9, missed))
    #expect(try rig.takeSeqs() == [6, 7, 9])
  }

  @Test("a recovery larger than the client accepts is skipped")
  func tooLargeRecovery() throws {
    var rig = try entered()
    try rig.lose()
    try rig.comeBack()
    try rig.lose(Self.tooLarge)
    try rig.comeBack()
    let request = try #require(rig.sent.last)
    #expect(request.method == "channel.enter")
    #expect(request.params["recover"] == nil)
    _ = rig.takeEvents()
    try rig.answer(request, answer(seq: 900, recovered: false))
    guard case .recoveryFailed("lobby", .gap)? = rig.takeEvents().last else {
      Issue.record("no gap was told")
      return
    }
  }

  @Test("a re-entry that is not answered ends the connection")
  func enteringTimeout() throws {
    var rig = try entered()
    try rig.lose()
    try rig.comeBack()
    try rig.advance(by: 10_000)
    #expect(rig.closings == [.dead])
  }
}
