import ClientTransport
@testable import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

/// A session machine and a model server with a network between them that cuts and delays.
struct ModelNetwork {
  private(set) var server = ModelServer()
  private var machine: SessionMachine
  private var generator: SeededGenerator
  private var now: Int64 = 0
  /// The client's present connection, if it has one.
  private var current: Int?
  private var isConnecting = false
  private var peerCount = 0
  private var toServer: [Int: [[UInt8]]] = [:]
  private var toClient: [String] = []
  private var lastID: Int64 = 0

  private(set) var results: [EngineCallID: Result<[UInt8], ParleyError>] = [:]
  /// The sends in the order in which they were made.
  private(set) var sends: [(id: EngineCallID, requestID: String)] = []
  /// The `seq`s of the delivered events, with their senders.
  private(set) var delivered: [(seq: Int64, user: String)] = []
  private(set) var gapCount = 0

  init(_ generator: SeededGenerator) throws {
    self.generator = generator
    var settings = SessionMachine.Settings()
    settings.requestTimeout = 100_000_000
    settings.connectTimeout = 100_000_000
    machine = SessionMachine(settings)
    try handle(.open(nextID(), SessionCredentials(userID: "jeff")))
    let enter = EngineCall(
      method: "channel.enter", params: Array(#"{"channel_url":"lobby"}"#.utf8),
      repeatability: .safe, channel: .enter("lobby"))
    try handle(.call(nextID(), enter))
  }

  /// Lets something happen.
  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<12: try send()
    case 12..<22: publish()
    case 22..<26: try cut()
    case 26..<30: try pass(Int64.random(in: 1...2000, using: &generator))
    case 30..<34: endOldPeer()
    case 34..<65: try deliverToServer()
    case 65..<96: try deliverToClient()
    default: try connect()
    }
  }

  /// Lets everything happen that is under way, without another cut.
  mutating func settle() throws {
    for _ in 0..<10_000 {
      try connect()
      try deliverToServer()
      try deliverToClient()
      if current == nil { try pass(1000) }
      let isQuiet = toClient.isEmpty && toServer.values.allSatisfy(\.isEmpty)
      if isQuiet, sends.allSatisfy({ results[$0.id] != nil }), current != nil { return }
    }
    Issue.record("the network did not settle")
  }

  private mutating func send() throws {
    let (id, requestID) = (nextID(), "r\(sends.count)")
    sends.append((id, requestID))
    let params = #"{"channel_url":"lobby","message":"x","req_id":"\#(requestID)"}"#
    let call = EngineCall(
      method: "message.send", params: Array(params.utf8), repeatability: .identified)
    try handle(.call(id, call))
  }

  private mutating func publish() {
    distribute(server.publish(user: "ann", requestID: ""))
  }

  /// The client loses its connection; what it has sent may still reach the server, later.
  private mutating func cut() throws {
    guard let peer = current else { return }
    current = nil
    toClient = []
    let arriving = Int.random(in: 0...(toServer[peer]?.count ?? 0), using: &generator)
    toServer[peer] = Array((toServer[peer] ?? []).prefix(arriving))
    try handle(.connectionEnded(.failed(ConnectionFailure(.lost, "cut"))))
  }

  /// The server finds out that a connection is gone.
  private mutating func endOldPeer() {
    for peer in server.peers.keys.sorted()
    where peer != current && toServer[peer]?.isEmpty ?? true {
      server.disconnect(peer)
    }
  }

  private mutating func connect() throws {
    guard isConnecting else { return }
    isConnecting = false
    peerCount += 1
    current = peerCount
    server.connect(peerCount)
    try handle(.connectionOpened)
  }

  private mutating func deliverToServer() throws {
    let peers = toServer.keys.sorted().filter { toServer[$0]?.isEmpty == false }
    guard let peer = peers.randomElement(using: &generator),
      let text = toServer[peer]?.removeFirst()
    else { return }
    distribute(try server.handle(text, from: peer))
  }

  private mutating func deliverToClient() throws {
    guard !toClient.isEmpty else { return }
    try handle(.textReceived(Array(toClient.removeFirst().utf8)))
  }

  private mutating func pass(_ milliseconds: Int64) throws {
    now += milliseconds
    // Bytes come often enough for the connection to count as alive.
    if current != nil { try handle(.signOfLife) }
    try handle(.timePassed)
  }

  private mutating func distribute(_ texts: [(peer: Int, text: String)]) {
    for (peer, text) in texts where peer == current { toClient.append(text) }
  }

  private mutating func nextID() -> EngineCallID {
    lastID += 1
    return EngineCallID(number: lastID)
  }

  private mutating func handle(_ input: SessionInput) throws {
    let random = generator.next()
    for action in machine.handle(input, at: now, random: random) { try perform(action) }
  }

  private mutating func perform(_ action: SessionAction) throws {
    switch action {
    case .connect: isConnecting = true
    case .send(let text): if let current { toServer[current, default: []].append(text) }
    case .ping: break
    case .closeConnection(let reason): Issue.record("closed: \(reason)")
    case .complete(let id, let result):
      #expect(results[id] == nil, "completed twice")
      results[id] = result
    case .deliver(.notification(_, let params)):
      let root = try #require(params)
      delivered.append(
        (
          try #require(root["seq"]?.integer),
          try #require(root["message"]?["user"]?["user_id"]?.string)
        ))
    case .deliver(.recoveryFailed): gapCount += 1
    case .deliver: break
    }
  }
}
