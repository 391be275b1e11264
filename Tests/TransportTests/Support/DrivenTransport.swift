import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

/// A transport without a thread: the test says when a connection reads and when a turn ends.
final class DrivenTransport: TransportDelegate {
  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: configuration, delegate: self)
  private let configuration: TransportConfiguration
  /// What is answered to requests that are no upgrades.
  var response = HTTPResponse(status: .ok, text: "hello")
  /// Whether requests that are no upgrades are answered by the test, later.
  var answersLater = false
  /// Whether what is answered later is called off when its peer is gone.
  var callsOff = true
  private(set) var requests: [HTTPRequest] = []
  private(set) var exchanges: [Exchange.ID] = []
  private(set) var abandonmentCount = 0
  var onCannotAccept: (SystemError) -> Void = { Issue.record($0) }

  init(_ configuration: TransportConfiguration = TransportConfiguration()) throws {
    loop = try EventLoop()
    var configuration = configuration.withTestCodes
    configuration.clock = nil
    self.configuration = configuration
  }

  deinit {
    transport.forEachConnection { connection in
      _ = connection.takeApplication()
      connection.drop()
    }
  }

  /// Takes a connection in, which speaks HTTP at first.
  func connect() throws -> DrivenPeer {
    let (ours, theirs) = try socketPair()
    return try connect(ours, theirs)
  }

  /// Takes a connection in whose descriptor is `ours`.
  func connect(_ ours: Int32, _ theirs: Int32) throws -> DrivenPeer {
    try Connection.open(descriptor: ours, tls: nil, tag: 0, transport: transport)
    var found: Connection?
    transport.forEachConnection { if $0.descriptor == ours { found = $0 } }
    return DrivenPeer(descriptor: theirs, connection: try #require(found))
  }

  /// Takes a connection in and upgrades it.
  func open() throws -> DrivenPeer {
    let peer = try connect()
    peer.write(upgradeRequest)
    peer.connection.descriptorIsReady(for: .readable)
    settle()
    let answer = String(decoding: peer.readAll(), as: UTF8.self)
    try #require(answer.hasPrefix("HTTP/1.1 101 "))
    return peer
  }

  /// Ends turns until nothing is left to do at once.
  func settle() {
    while transport.flush() == .unfinished {}
  }

  func answer(_ exchange: Exchange) -> RequestOutcome {
    do {
      return .upgrade(try ServerHandshake().accept(exchange.head), RecordingApplication())
    } catch {
      requests.append(exchange.request)
      exchanges.append(exchange.id)
      guard answersLater else { return .respond(response) }
      return .respondLater(onAbandonment: callsOff ? { self.abandonmentCount += 1 } : nil)
    }
  }

  func transportCannotAccept(_ error: SystemError) {
    onCannotAccept(error)
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {
    Issue.record("TLS broke: \(reason)")
  }
}

/// Keeps what it was told.
final class RecordingApplication: WebSocketApplication {
  private(set) var messages: [WebSocketMessage] = []
  private(set) var reasons: [ClosingReason] = []
  var onMessage: (Connection, WebSocketMessage) -> Void = { _, _ in }
  var onClose: () -> Void = {}
  /// Whether what was received is still to be carried out.
  var isBusy = false
  private(set) var hasPeerEnded = false
  var onRoom: (Connection) -> Void = { _ in }

  func connectionHasRoom(_ connection: Connection) {
    onRoom(connection)
  }

  func connectionIsBusy(_ connection: Connection) -> Bool { isBusy }

  func connectionPeerDidEnd(_ connection: Connection) {
    hasPeerEnded = true
  }

  func connection(_ connection: Connection, received message: WebSocketMessage) {
    messages.append(message)
    onMessage(connection, message)
  }

  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason) {
    reasons.append(reason)
    onClose()
  }
}
