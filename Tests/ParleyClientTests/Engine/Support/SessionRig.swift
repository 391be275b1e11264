import ClientTransport
@testable import ParleyClient
import ParleyProtocol
import Testing

/// A session machine with a clock of its own, and all that it wanted done.
struct SessionRig {
  struct Request {
    let id: String
    let method: String
    let params: JSONNode
  }

  var machine: SessionMachine
  var now: Int64 = 1_000_000
  /// Decides all waits: with this number each is as long as its ceiling, if that is below it.
  var random: UInt64 = 0
  private(set) var sent: [Request] = []
  private(set) var results: [EngineCallID: Result<[UInt8], ParleyError>] = [:]
  private(set) var events: [EngineEvent] = []
  private(set) var connectCount = 0
  private(set) var pingCount = 0
  private(set) var closings: [SessionAction.CloseReason] = []
  private var lastID: Int64 = 0

  init(_ settings: SessionMachine.Settings = SessionMachine.Settings()) {
    machine = SessionMachine(settings)
  }

  mutating func handle(_ input: SessionInput) throws {
    for action in machine.handle(input, at: now, random: random) { try take(action) }
  }

  mutating func advance(by milliseconds: Int64) throws {
    now += milliseconds
    try handle(.timePassed)
  }

  mutating func nextID() -> EngineCallID {
    lastID += 1
    return EngineCallID(number: lastID)
  }

  mutating func open(
    _ credentials: SessionCredentials = SessionCredentials(userID: "jeff", accessToken: "t1")
  ) throws -> EngineCallID {
    let id = nextID()
    try handle(.open(id, credentials))
    return id
  }

  /// Opens a session up to the server's answer.
  mutating func connect() throws {
    _ = try open()
    try handle(.connectionOpened)
    try answerOpen()
  }

  mutating func answerOpen(pingInterval: Int64 = 25_000) throws {
    let request = try #require(sent.last { $0.method == "session.open" })
    try answer(
      request,
      #"{"session_id":"s","limits":{"message_bytes":2000},"ping_interval_ms":\#(pingInterval)}"#)
  }

  mutating func call(
    _ method: String, _ params: String = "{}", _ repeatability: Repeatability = .once,
    _ channel: ChannelEffect? = nil
  ) throws -> EngineCallID {
    let id = nextID()
    let call = EngineCall(
      method: method, params: Array(params.utf8), repeatability: repeatability, channel: channel)
    try handle(.call(id, call))
    return id
  }

  mutating func send(_ url: String, requestID: String) throws -> EngineCallID {
    try call(
      "message.send", #"{"channel_url":"\#(url)","message":"x","req_id":"\#(requestID)"}"#,
      .identified)
  }

  /// Enters a channel at a position.
  mutating func enter(_ url: String, epoch: String = "e1", seq: Int64) throws {
    _ = try call("channel.enter", #"{"channel_url":"\#(url)"}"#, .safe, .enter(url))
    try answer(
      try #require(sent.last),
      #"{"channel":{},"epoch":"\#(epoch)","seq":\#(seq),"recovered":false,"events":[]}"#)
  }

  mutating func answer(_ request: Request, _ result: String) throws {
    try receive(#"{"jsonrpc":"2.0","id":\#(request.id),"result":\#(result)}"#)
  }

  mutating func refuse(_ request: Request, _ code: Int, _ data: String = "{}") throws {
    try receive(
      #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":\#(code),"message":"no","data":\#(data)}}"#
    )
  }

  mutating func receive(_ text: String) throws {
    try handle(.textReceived(Array(text.utf8)))
  }

  mutating func receiveEvent(
    _ url: String, seq: Int64, _ method: String = "message.received"
  ) throws {
    try receive(Self.event(url, seq: seq, method))
  }

  static func event(
    _ url: String, seq: Int64, _ method: String = "message.received", user: String = "ann",
    requestID: String = ""
  ) -> String {
    #"{"jsonrpc":"2.0","method":"\#(method)","params":{"channel_url":"\#(url)","seq":\#(seq),"ts":1,"#
      + #""user":{"user_id":"\#(user)"},"message":{"message_id":\#(seq),"req_id":"\#(requestID)","#
      + #""user":{"user_id":"\#(user)"}}}}"#
  }

  mutating func lose(_ end: ConnectionEnd = .failed(ConnectionFailure(.lost, "cut"))) throws {
    try handle(.connectionEnded(end))
  }

  /// Lets the pause pass, and opens the session anew.
  mutating func comeBack() throws {
    try advance(by: 60_000)
    try handle(.connectionOpened)
    try answerOpen()
  }

  mutating func takeSent() -> [Request] {
    defer { sent = [] }
    return sent
  }

  mutating func takeEvents() -> [EngineEvent] {
    defer { events = [] }
    return events
  }

  /// The `seq`s of the channel events delivered since the last look.
  mutating func takeSeqs() throws -> [Int64] {
    takeEvents().compactMap { event in
      guard case .notification(_, let params) = event else { return nil }
      return params?["seq"]?.integer
    }
  }

  /// The states told since the last look.
  mutating func takeStates() -> [ConnectionState] {
    takeEvents().compactMap { if case .stateChanged(let state) = $0 { state } else { nil } }
  }

  /// The file keys handed on since the last look.
  mutating func takeFileKeys() -> [FileKey?] {
    takeEvents().compactMap { event -> FileKey?? in
      if case .fileKeyChanged(let key) = event { .some(key) } else { nil }
    }
  }

  func result(_ id: EngineCallID) -> String? {
    guard case .success(let bytes)? = results[id] else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  func error(_ id: EngineCallID) -> ParleyError? {
    guard case .failure(let error)? = results[id] else { return nil }
    return error
  }

  private mutating func take(_ action: SessionAction) throws {
    switch action {
    case .connect: connectCount += 1
    case .ping: pingCount += 1
    case .closeConnection(let reason): closings.append(reason)
    case .deliver(let event): events.append(event)
    case .complete(let id, let result):
      #expect(results[id] == nil, "a call was completed twice")
      results[id] = result
    case .send(let text):
      let root = try JSONDocument(text).root
      sent.append(
        Request(
          id: String(decoding: try #require(root["id"]).raw, as: UTF8.self),
          method: try #require(root["method"]?.string), params: try #require(root["params"])))
    }
  }
}
