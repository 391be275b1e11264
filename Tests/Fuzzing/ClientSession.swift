import ClientTransport
@testable import ParleyClient
import ParleyProtocol

/// A client's session on a server that says anything at any time.
///
/// Every call is completed at most once, and once at the end; nothing is sent without a connection;
/// events that are read, or refused with a reason, are never the end of the program.
enum ClientSessionHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    var model = SessionModel()
    model.open()
    while !source.isEmpty { model.step(&source) }
    model.finish()
  }
}

private struct SessionModel {
  private var machine = SessionMachine(SessionMachine.Settings())
  private var now: Int64 = 0
  private var lastCall: Int64 = 0
  private var unanswered: Set<Int64> = []
  private var isConnected = false
  private var requestIDs: [Int64] = []

  mutating func open() {
    handle(.open(newCall(), SessionCredentials(userID: "jeff")))
  }

  mutating func step(_ source: inout ByteSource) {
    switch source.number(below: 12) {
    case 0: call(&source)
    case 1:
      if !isConnected {
        isConnected = true
        handle(.connectionOpened)
      }
    case 2: connectionEnds(&source)
    case 3, 4, 5: if isConnected { answer(&source) }
    case 6, 7: if isConnected { notify(&source) }
    case 8: if isConnected { handle(.textReceived(source.bytes(upTo: 200))) }
    case 9:
      now += Int64(source.number(below: 20_000))
      handle(.timePassed)
    case 10: handle(.signOfLife)
    default:
      if let id = unanswered.min(), source.flag() {
        handle(.cancel(EngineCallID(number: id)))
        unanswered.remove(id)
      } else {
        handle(.refresh(newCall(), accessToken: "t"))
      }
    }
  }

  /// Closes, and lets time pass until nothing waits.
  mutating func finish() {
    handle(.close(newCall()))
    for _ in 0..<100 where !unanswered.isEmpty {
      now += 60_000
      handle(.timePassed)
    }
    precondition(unanswered.isEmpty, "a call is never completed")
  }

  private mutating func newCall() -> EngineCallID {
    lastCall += 1
    unanswered.insert(lastCall)
    return EngineCallID(number: lastCall)
  }

  private mutating func call(_ source: inout ByteSource) {
    let effect = source.choice([
      nil, ChannelEffect.enter("lobby"), .exit("lobby"), .delete("lobby"),
    ])
    let method =
      switch effect {
      case .enter: "channel.enter"
      case .exit: "channel.exit"
      case .delete: "channel.delete"
      case nil: "message.send"
      }
    let params = Array(#"{"channel_url":"lobby","message":"m","req_id":"r\#(lastCall)"}"#.utf8)
    let repeatability = source.choice([Repeatability.once, .safe, .identified])
    handle(
      .call(
        newCall(),
        EngineCall(
          method: method, params: params, repeatability: repeatability, channel: effect)))
  }

  private mutating func connectionEnds(_ source: inout ByteSource) {
    isConnected = false
    let kind = source.choice([
      ConnectionFailure.Kind.temporary, .lasting, .unauthorized, .lost,
      .unavailable(retryAfter: source.int64()),
    ])
    handle(.connectionEnded(.failed(ConnectionFailure(kind, "x"))))
  }

  private mutating func answer(_ source: inout ByteSource) {
    let id = requestIDs.isEmpty ? 1 : source.choice(Array(requestIDs.suffix(8)))
    let results = [
      #""result":{}"#, #""result":null"#,
      #""result":{"channel":{},"participant_count":1,"epoch":"e","seq":\#(source.int64()),"recovered":true,"events":[{"jsonrpc":"2.0","method":"message.received","params":{"channel_url":"lobby","seq":3}}]}"#,
      #""result":{"epoch":"e","seq":3,"recovered":false,"events":[]}"#,
      #""result":{"session_id":"s","user":{"user_id":"jeff"},"ping_interval_ms":\#(source.int64())}"#,
      #""error":{"code":400750,"message":"banned"}"#, #""error":{"code":400302,"message":"no"}"#,
      #""error":{"code":500910,"message":"m","data":{"retry_after_ms":\#(source.int64())}}"#,
    ]
    receive(#"{"jsonrpc":"2.0","id":\#(id),\#(source.choice(results))}"#)
  }

  private mutating func notify(_ source: inout ByteSource) {
    let names = EventName.allCases.map(\.rawValue) + ["other.event"]
    let params = [
      #"{"channel_url":"lobby","seq":\#(source.number(below: 20)),"message":{"message_id":1}}"#,
      #"{"channel_url":"lobby","seq":\#(source.int64()),"user":{"user_id":"jeff"}}"#,
      #"{"reconnect_after_ms":\#(source.int64())}"#, #"{"expires_at":\#(source.int64())}"#,
      #"{"channel_url":"lobby","withheld":\#(source.int64())}"#, "null", "[]",
    ]
    receive(
      #"{"jsonrpc":"2.0","method":"\#(source.choice(names))","params":\#(source.choice(params))}"#)
  }

  private mutating func receive(_ text: String) { handle(.textReceived(Array(text.utf8))) }

  private mutating func handle(_ input: SessionInput) {
    for action in machine.handle(input, at: now, random: UInt64(bitPattern: now)) {
      switch action {
      case .connect: isConnected = false
      case .send(let bytes):
        precondition(isConnected, "something is sent without a connection")
        noteRequest(bytes)
      case .ping: precondition(isConnected)
      case .closeConnection: isConnected = false
      case .complete(let id, let result):
        precondition(unanswered.remove(id.number) != nil || isCancelled(id), "completed twice")
        if case .success(let bytes) = result { _ = try? AnswerReader.document(bytes) }
      case .deliver(.notification(let method, let params)):
        _ = try? Incoming(
          method: method, params: params,
          MessageReader(fileKeys: FileKeys(serverURL: "wss://a.b")))
      case .deliver: break
      }
    }
    if let deadline = machine.nextDeadline { precondition(deadline > .min) }
  }

  /// A cancelled call may still be told that it was.
  private func isCancelled(_ id: EngineCallID) -> Bool { id.number <= lastCall }

  private mutating func noteRequest(_ bytes: [UInt8]) {
    guard case .single(.request(let request)) = RPCInput(bytes) else {
      preconditionFailure("what is sent is no request")
    }
    if let id = request.id.flatMap({ Int64($0.json) }) { requestIDs.append(id) }
  }
}
