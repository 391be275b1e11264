import Channels
import Cluster
import HTTP
import ParleyProtocol
import Transport

/// The requests to streams that a shard has received, and those that other servers have sent to its
/// streams.
///
/// Confined to its shard.
final class StreamRelay {
  /// The requests of this shard's connections whose responses are not complete.
  var requests: [Exchange.ID: AwaitedStream] = [:]
  /// The requests on other servers that carry the events of this shard's streams.
  var readers: [ExchangeAddress: RelayedReader] = [:]

  /// Ends the responses that depend on lost servers.
  ///
  /// Clients whose request is not answered learn that the stream is gone: whether a message has reached
  /// the stream is not known.
  func lose(where isLost: (ServerID) -> Bool) {
    for (exchange, request) in requests where request.server.map(isLost) ?? false {
      requests[exchange] = nil
      request.lose()
    }
    for reader in readers.values where reader.server.map(isLost) ?? false { reader.abandon() }
  }

  /// Ends the responses that carry the events of other servers, whose clients continue on
  /// another one.
  func drain() {
    for (exchange, request) in requests where request.server != nil && request.source != nil {
      requests[exchange] = nil
      request.abandon()
    }
  }
}

/// A request to a stream, on the shard that has received it.
///
/// The source of the events that another server sends.
final class AwaitedStream: HTTPBodySource {
  let responses: StreamResponses
  /// The other server that has the stream; `nil` for this one.
  let server: ServerID?
  let compressed: Bool
  private unowned let shard: Shard
  private let exchange: Exchange.ID
  /// The shard that sends events.
  fileprivate(set) var source: ShardAddress?
  /// The body of the response; `nil` before it begins, and once it has ended.
  private var body: EventBody?
  private var unreported = 0

  /// The number of bytes that are reported together.
  private static let reportByteCount = 16_384

  init(
    _ exchange: Exchange, _ responses: StreamResponses, at server: ServerID?, compressed: Bool,
    on shard: Shard
  ) {
    self.exchange = exchange.id
    self.responses = responses
    self.server = server
    self.compressed = compressed
    self.shard = shard
  }

  private var address: ExchangeAddress { ExchangeAddress(exchange, on: shard.handle) }

  /// Begins the response that carries the events of a shard.
  func begin(from source: ShardAddress) {
    self.source = source
    body = shard.transport.respond(
      responses.events(compressed: compressed), withEventsFrom: .source(self),
      compressed: compressed, to: exchange)
    if body == nil { bodyWasAbandoned() }
  }

  func forward(_ bytes: [UInt8]) {
    unreported += bytes.count
    bytes.withUnsafeBytes { body?.take(events: $0) }
    if unreported >= Self.reportByteCount, body?.takesMore == true { report() }
  }

  func end() {
    body?.endResponse()
    body = nil
  }

  /// Ends the response, or answers that the stream is gone.
  fileprivate func lose() {
    guard source == nil else { return end() }
    shard.transport.respond(responses.response(to: .gone), to: exchange)
  }

  /// Ends the response, after which the client may continue.
  fileprivate func abandon() {
    if let source { shard.send(.shard(source, .stream(.abandoned(address)))) }
    end()
  }

  func nextPiece() { report() }

  /// Reports the bytes that are written, or about to be.
  private func report() {
    guard unreported > 0, let source else { return }
    let written = StreamMessage.written(byteCount: unreported, of: address)
    unreported = 0
    shard.send(.shard(source, .stream(written)))
  }

  func bodyWasAbandoned() {
    body = nil
    guard shard.streams.requests.removeValue(forKey: exchange) != nil, let source else { return }
    shard.send(.shard(source, .stream(.abandoned(address))))
  }
}

/// A reader whose request is on another server than its stream.
final class RelayedReader: EventReader {
  /// The maximum size of a message between shards.
  private static let pieceByteCount = 65_536

  let isPoll: Bool
  /// The server that has the request, if it is known.
  let server: ServerID?
  /// The bytes that the other shard has not written.
  private(set) var waitingByteCount = 0
  private unowned let shard: Shard
  private let exchange: ExchangeAddress
  private let stream: ConnectionID

  init(
    of stream: ConnectionID, isPoll: Bool, to exchange: ExchangeAddress, at server: ServerID?,
    on shard: Shard
  ) {
    self.stream = stream
    self.isPoll = isPoll
    self.exchange = exchange
    self.server = server
    self.shard = shard
  }

  func take(events bytes: UnsafeRawBufferPointer) {
    waitingByteCount += bytes.count
    var rest = bytes[...]
    while !rest.isEmpty {
      send(.events(Array(rest.prefix(Self.pieceByteCount)), to: exchange))
      rest = rest.dropFirst(Self.pieceByteCount)
    }
  }

  func endResponse() {
    shard.streams.readers[exchange] = nil
    send(.end(exchange))
  }

  func didWrite(_ byteCount: Int) {
    waitingByteCount = max(waitingByteCount - byteCount, 0)
    shard.transport.connection(stream)?.readerHasRoom(self)
  }

  func abandon() {
    shard.streams.readers[exchange] = nil
    shard.transport.connection(stream)?.readerDidEnd(self)
  }

  private func send(_ message: StreamMessage) {
    shard.send(.shard(exchange.shard, .stream(message)))
  }
}

/// A request for the events of a stream, on its way to the shard of the same server that has the stream.
struct MovingStreamRequest: Sendable {
  let request: StreamRequest
  let responses: StreamResponses
  let compressed: Bool
  let connection: MovingRequest
}

extension Shard {
  /// Sends a request towards the shard that has the stream, which answers it.
  ///
  /// Other servers cannot check an address: any shard of the server that has issued it does, and passes
  /// the request on.
  func pass(_ request: StreamRequest) {
    guard let server = StreamAddress.server(in: request.address) else {
      return answer(.unknown, to: request.exchange)
    }
    guard server == services.server else {
      return send(.shard(ShardAddress(server: server, shard: 0), .stream(.request(request))))
    }
    guard let place = StreamAddress(request.address, services.streamKey),
      Int(place.shard.shard) < services.shards.count
    else { return answer(.unknown, to: request.exchange) }
    guard place.shard != handle.address else {
      return carryOut(request.action, onStream: place.stream, request.exchange)
    }
    if case .read = request.action, request.exchange.shard == handle.address {
      move(request, to: place.shard)
    } else {
      send(.shard(place.shard, .stream(.request(request))))
    }
  }

  /// Moves a request for events with its connection to the shard of the same server that has the stream.
  private func move(_ request: StreamRequest, to target: ShardAddress) {
    let id = Exchange.ID(request.exchange)
    guard let awaited = streams.requests.removeValue(forKey: id), let moving = transport.remove(id)
    else { return }
    send(
      .streamRequest(
        MovingStreamRequest(
          request: request, responses: awaited.responses, compressed: awaited.compressed,
          connection: moving)),
      to: Int(target.shard))
  }

  func receive(_ moving: MovingStreamRequest) {
    let exchange = transport.insert(moving.connection) { [unowned self] id in
      streams.requests[id] = nil
    }
    guard let exchange else { return }
    streams.requests[exchange.id] = AwaitedStream(
      exchange, moving.responses, at: nil, compressed: moving.compressed, on: self)
    pass(
      StreamRequest(
        address: moving.request.address, moving.request.action,
        from: ExchangeAddress(exchange.id, on: handle)))
  }

  /// Answers a request, on this or another shard.
  func answer(_ answer: StreamAnswer, to exchange: ExchangeAddress) {
    if exchange.shard == handle.address {
      finish(Exchange.ID(exchange), answer)
    } else {
      send(.shard(exchange.shard, .stream(.answer(answer, to: exchange))))
    }
  }

  func receive(_ message: StreamMessage) {
    switch message {
    case .request(let request): pass(request)
    case .answer(let answer, let exchange): finish(Exchange.ID(exchange), answer)
    case .events(let bytes, let exchange):
      streams.requests[Exchange.ID(exchange)]?.forward(bytes)
    case .end(let exchange):
      streams.requests.removeValue(forKey: Exchange.ID(exchange))?.end()
    case .written(let byteCount, let exchange): streams.readers[exchange]?.didWrite(byteCount)
    case .abandoned(let exchange): streams.readers[exchange]?.abandon()
    }
  }

  private func finish(_ exchange: Exchange.ID, _ answer: StreamAnswer) {
    guard case .events(let source) = answer else {
      guard let request = streams.requests.removeValue(forKey: exchange) else { return }
      return transport.respond(request.responses.response(to: answer), to: exchange)
    }
    guard let request = streams.requests[exchange] else {
      let address = ExchangeAddress(exchange, on: handle)
      return send(.shard(source, .stream(.abandoned(address))))
    }
    request.begin(from: source)
  }
}
