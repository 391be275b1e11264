import Glibc
import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

/// A transport without a thread that takes bodies in pieces, and answers with files.
final class BodyServer: TransportDelegate, HTTPBodyReceiver {
  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: configuration, delegate: self)
  private let configuration: TransportConfiguration
  var decision = BodyDecision.whole
  var demand = BodyDemand.more
  /// What has come of the body.
  private(set) var received: [UInt8] = []
  private(set) var pieceCount = 0
  private(set) var endCount = 0
  private(set) var abandonmentCount = 0
  private(set) var requests: [HTTPRequest] = []
  /// What a request without a body is answered with; `nil` answers in words.
  var file: FileSpan?
  private var answering: [Connection] = []

  init(_ configuration: TransportConfiguration = TransportConfiguration()) throws {
    // The threads of the house block it; this is the test's own.
    _ = signal(SIGPIPE, SIG_IGN)
    loop = try EventLoop()
    var configuration = configuration
    configuration.clock = nil
    self.configuration = configuration
  }

  deinit {
    transport.forEachConnection { $0.drop() }
  }

  func connect() throws -> DrivenPeer {
    let (ours, theirs) = try socketPair()
    try Connection.open(descriptor: ours, tls: nil, tag: 0, transport: transport)
    var found: Connection?
    transport.forEachConnection { if $0.descriptor == ours { found = $0 } }
    return DrivenPeer(descriptor: theirs, connection: try #require(found))
  }

  /// Ends turns until nothing is left to do at once.
  func settle() {
    repeat {
      let owed = answering
      answering = []
      for connection in owed { answer(connection) }
      while transport.flush() == .unfinished {}
    } while !answering.isEmpty
  }

  private func answer(_ connection: Connection) {
    if let file { connection.respond(HTTPResponse(status: .ok), with: .file(file)) }
  }

  func decideOnBody(of exchange: Exchange) -> BodyDecision { decision }

  func answer(_ exchange: Exchange) -> RequestOutcome {
    requests.append(exchange.request)
    guard file != nil else { return .respond(HTTPResponse(status: .ok, text: "hello")) }
    answering.append(exchange.connection)
    return .respondLater(onAbandonment: {})
  }

  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand {
    received += piece
    pieceCount += 1
    return demand
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    endCount += 1
    return .respond(HTTPResponse(status: .ok, text: "taken"))
  }

  func bodyWasAbandoned() {
    abandonmentCount += 1
  }

  func transportCannotAccept(_ error: SystemError) {
    Issue.record(error)
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {
    Issue.record("TLS broke: \(reason)")
  }
}
