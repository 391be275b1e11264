import HTTP
import Reactor
import Testing

@testable import Transport

@Suite("Connection: event streams")
struct ConnectionEventsTests {
  /// Keeps what it takes.
  private final class Reader: EventReader {
    let isPoll: Bool
    let waitingByteCount = 0
    var takesMore = true
    private(set) var text = ""
    private(set) var endCount = 0

    init(isPoll: Bool = false) { self.isPoll = isPoll }

    func take(events bytes: UnsafeRawBufferPointer) {
      text += String(decoding: bytes, as: UTF8.self)
    }
    func endResponse() { endCount += 1 }
  }

  private let driven: DrivenTransport
  private let requester: DrivenPeer
  private let stream: Connection
  private let application = RecordingApplication()

  init() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 1_000
    driven = try DrivenTransport(configuration)
    requester = try driven.connect()
    stream = try Connection.openStream(
      for: requester.connection, grace: 30_000
    ).get()
    stream.begin(application) { _ in }
    stream.send(reply: Array("opened".utf8))
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func fireTimer() throws { stream.timerDidFire(try #require(stream.timer)) }

  @Test("the first reply opens the stream and is no event")
  func opening() throws {
    let other = try Connection.openStream(
      for: requester.connection, grace: 30_000
    ).get()
    var replies: [[UInt8]?] = []
    other.begin(RecordingApplication()) { replies.append($0) }
    other.send(text: text("event"))
    other.send(reply: text("reply"))
    other.send(reply: text("second"))
    #expect(replies == [text("reply")])
    let reader = Reader()
    other.attach(reader)
    #expect(reader.text == "id: 1\ndata: event\n\nid: 2\ndata: second\n\n")
    let last = try Connection.openStream(
      for: requester.connection, grace: 30_000
    ).get()
    last.begin(RecordingApplication()) { replies.append($0) }
    last.close(.goingAway)
    #expect(replies == [text("reply"), nil])
  }

  @Test("a reader takes what is sent and published, in one order, at the end of a turn")
  func delivers() {
    let reader = Reader()
    stream.attach(reader)
    let feed = BroadcastBuffer(encoding: stream.encoding, transport: driven.transport)
    let subscription = feed.subscribe(stream)
    var frames: [UInt8] = []
    for part in ["a", "b"] {
      driven.transport.appendFrame(text: text(part), encoding: .events, into: &frames)
    }
    feed.publish(frames, except: [])
    #expect(reader.text.isEmpty)
    driven.settle()
    #expect(reader.text == "id: 1\ndata: a\n\nid: 2\ndata: b\n\n")
    stream.send(text: text("c"))
    driven.settle()
    #expect(reader.text.hasSuffix("id: 3\ndata: c\n\n"))
    feed.cancel(subscription)
  }

  @Test("a second reader takes over, and gets what is not confirmed")
  func takesOver() {
    let (first, second) = (Reader(), Reader())
    stream.attach(first)
    for part in ["a", "b", "c"] { stream.send(text: text(part)) }
    driven.settle()
    #expect(stream.resumeEvents(after: 4) == .ahead(last: 3))
    #expect(first.endCount == 0)
    #expect(stream.resumeEvents(after: 1) == .resumed)
    stream.attach(second)
    #expect(first.endCount == 1)
    #expect(second.text == "id: 2\ndata: b\n\nid: 3\ndata: c\n\n")
    stream.readerDidEnd(first)
    stream.send(text: text("d"))
    driven.settle()
    #expect(second.text.hasSuffix("id: 4\ndata: d\n\n"))
    #expect(stream.resumeEvents(after: 0) == .gone)
  }

  @Test("a poll ends with what there is, or at its time limit")
  func polls() throws {
    let first = Reader(isPoll: true)
    stream.attach(first)
    #expect(first.endCount == 0)
    stream.send(text: text("a"))
    driven.settle()
    #expect(first.text == "id: 1\ndata: a\n\n")
    #expect(first.endCount == 1)
    #expect(stream.resumeEvents(after: 1) == .resumed)
    let second = Reader(isPoll: true)
    stream.attach(second)
    try fireTimer()
    #expect(second.text.isEmpty)
    #expect(second.endCount == 1)
    #expect(stream.isOpen)
  }

  @Test("a comment keeps a response alive, and the grace period begins when its client is gone")
  func timing() throws {
    let reader = Reader()
    stream.attach(reader)
    try fireTimer()
    try fireTimer()
    #expect(reader.text == ":\n\n:\n\n")
    stream.readerDidEnd(reader)
    #expect(application.reasons.isEmpty)
    try fireTimer()
    #expect(application.reasons == [.lost])
    #expect(driven.transport.connection(stream.id) == nil)
    #expect(driven.transport.streamCount == 0)
  }

  @Test("a stream whose client does not read is closed as a slow consumer")
  func slow() {
    let reader = Reader()
    stream.attach(reader)
    reader.takesMore = false
    #expect(stream.hasRoom(for: 100))
    stream.send(text: [UInt8](repeating: 0x78, count: 450))
    #expect(!stream.hasRoom(for: 100))
    stream.send(text: [UInt8](repeating: 0x78, count: 600))
    driven.settle()
    #expect(application.reasons == [.closed(.slowConsumer)])
    #expect(driven.transport.counters.slowConsumers == 1)
    var rooms = 0
    application.onRoom = { _ in rooms += 1 }
    reader.takesMore = true
    stream.readerHasRoom(reader)
    #expect(reader.text.contains("event: close\ndata: {\"code\":4004,"))
    #expect(reader.endCount == 1)
    #expect(rooms == 0)
  }

  @Test("an application that waits for room is notified when a reader has taken events")
  func room() {
    var rooms = 0
    application.onRoom = { _ in rooms += 1 }
    stream.send(text: [UInt8](repeating: 0x78, count: 450))
    #expect(!stream.hasRoom(for: 100))
    stream.attach(Reader())
    #expect(rooms == 1)
    #expect(stream.hasRoom(for: 100))
  }

  @Test("messages wait while nothing is read, up to a limit, and are received in order")
  func waitingMessages() {
    var received: [Int] = []
    func post(_ number: Int) -> Bool {
      stream.receivePosted(byteCount: 100) { isOpen in received.append(isOpen ? number : -number) }
    }
    #expect(post(1))
    stream.pauseReading()
    for number in 2...9 { #expect(post(number)) }
    #expect(!post(10))
    #expect(received == [1])
    #expect(driven.transport.heldByteCount >= 800)
    stream.resumeReading()
    #expect(received == Array(1...9))
    stream.pauseReading()
    #expect(post(11))
    stream.close(.goingAway)
    #expect(received.last == -11)
    #expect(post(12))
    #expect(received.last == -12)
  }

  @Test("a closed stream keeps its last events for a client without a request, and then nothing")
  func closing() throws {
    stream.send(text: text("a"))
    stream.close(.goingAway, reason: "bye")
    #expect(application.reasons == [.closed(.goingAway)])
    #expect(!stream.isOpen)
    stream.send(text: text("b"))
    let reader = Reader()
    #expect(stream.resumeEvents(after: 0) == .resumed)
    stream.attach(reader)
    #expect(
      reader.text
        == "id: 1\ndata: a\n\nid: 2\nevent: close\ndata: {\"code\":1001,\"reason\":\"bye\"}\n\n")
    #expect(reader.endCount == 1)
    try fireTimer()
    #expect(driven.transport.connection(stream.id) == nil)
    #expect(driven.transport.heldByteCount == 0)
    #expect(stream.resumeEvents(after: 2) == .gone)
  }

  @Test("the response to a poll leaves its connection to another request")
  func pollResponse() throws {
    driven.answersLater = true
    requester.deliver(text("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
    let exchange = try #require(driven.exchanges.last)
    let body = try #require(
      driven.transport.respond(
        HTTPResponse(status: .ok), withEventsFrom: .stream(stream.id), compressed: false,
        to: exchange))
    // An empty chunk would end the body.
    [UInt8]().withUnsafeBytes { body.take(events: $0) }
    stream.attach(body)
    stream.send(text: text("a"))
    let answer = String(decoding: requester.drain(driven), as: UTF8.self)
    #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
    #expect(!answer.contains("Content-Length"))
    #expect(answer.hasSuffix("\r\nid: 1\ndata: a\n\n\r\n0\r\n\r\n"))
    requester.deliver(text("GET /b HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(driven.exchanges.count == 2)
  }

  @Test("a stream outlives the client of a poll")
  func gonePoll() throws {
    driven.answersLater = true
    requester.deliver(text("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
    let exchange = try #require(driven.exchanges.last)
    let body = try #require(
      driven.transport.respond(
        HTTPResponse(status: .ok), withEventsFrom: .stream(stream.id), compressed: false,
        to: exchange))
    stream.attach(body)
    driven.settle()
    requester.close()
    requester.connection.descriptorIsReady(for: .readable)
    #expect(stream.events?.reader == nil)
    #expect(stream.isOpen)
    stream.send(text: text("a"))
    driven.settle()
    #expect(stream.resumeEvents(after: 0) == .resumed)
    let second = Reader()
    stream.attach(second)
    #expect(second.text == "id: 1\ndata: a\n\n")
  }
}
