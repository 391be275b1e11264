package import Reactor
internal import Synchronization

/// A web server with pages to link to, so that previews are part of the load without requests to
/// other servers.
package final class LinkPages: Sendable {
  /// The prefix of the pages' URLs; a number follows.
  package let base: String
  private let mailbox: Mailbox<Bool>
  private let thread: Thread

  /// Listens on a free port of 127.0.0.1.
  package init() throws(SystemError) {
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else {
      throw SystemError(call: "inet_pton", code: 0)
    }
    let (descriptor, bound) = try Socket.listenFirst(on: address)
    let mailbox = try Mailbox<Bool>()
    let start = StartReport<SystemError>()
    base = "http://\(bound)/page/"
    self.mailbox = mailbox
    thread = try Thread(name: "parley-pages") {
      do throws(SystemError) {
        let server = try PageServer(listening: descriptor, until: mailbox)
        start.add(.success(()))
        server.run()
      } catch {
        start.add(.failure(error))
      }
    }
    try start.wait(for: 1)
  }

  /// Ends the thread and waits for its end.
  package func stop() {
    mailbox.post(true)
    thread.join()
  }
}

/// Accepts connections, and responds to each with one page.
final class PageServer: ReadinessHandler {
  private static let connectionLimit = 256

  private let loop: EventLoop
  private let listener: Int32
  private let mailbox: Mailbox<Bool>
  fileprivate var visits: [Int32: PageVisit] = [:]

  init(listening listener: Int32, until mailbox: Mailbox<Bool>) throws(SystemError) {
    self.listener = listener
    self.mailbox = mailbox
    loop = try EventLoop()
    _ = try loop.register(listener, for: .readable, handler: self)
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: self)
  }

  deinit {
    for descriptor in visits.keys { Socket.close(descriptor) }
    Socket.close(listener)
  }

  func run() {
    loop.run()
  }

  func descriptorIsReady(for readiness: Readiness) {
    if mailbox.count > 0 { return loop.stop() }
    while visits.count < Self.connectionLimit, let descriptor = try? Socket.accept(listener) {
      let visit = PageVisit(descriptor, self)
      visits[descriptor] = visit
      visit.registration = try? loop.register(descriptor, for: .readable, handler: visit)
      if visit.registration == nil { end(visit) }
    }
  }

  fileprivate func end(_ visit: PageVisit) {
    if let registration = visit.registration { loop.deregister(registration) }
    visits[visit.descriptor] = nil
    Socket.close(visit.descriptor)
  }
}

/// One connection: receives a request head and sends a page.
private final class PageVisit: ReadinessHandler {
  private static let headLimit = 8192

  let descriptor: Int32
  var registration: EventLoop.Registration?
  private unowned let loop: PageServer
  private var head: [UInt8] = []

  init(_ descriptor: Int32, _ loop: PageServer) {
    self.descriptor = descriptor
    self.loop = loop
  }

  func descriptorIsReady(for readiness: Readiness) {
    var buffer = [UInt8](repeating: 0, count: 2048)
    switch buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
    case .wouldBlock: return
    case .ended, .failed: return loop.end(self)
    case .transferred(let count): head += buffer[..<count]
    }
    if head.suffix(4) == [13, 10, 13, 10] {
      // The page is far smaller than the kernel's buffer, so one send is enough.
      _ = Self.answer.withUnsafeBytes { Socket.send(descriptor, $0) }
      loop.end(self)
    } else if head.count > Self.headLimit {
      loop.end(self)
    }
  }

  private static let answer: [UInt8] = {
    let page = """
      <!doctype html><html><head><title>A page of the load test</title>
      <meta property="og:title" content="A page of the load test">
      <meta property="og:description" content="It is there to be linked to.">
      </head><body>Nothing to see.</body></html>
      """
    return Array(
      """
      HTTP/1.1 200 OK\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(page.utf8.count)\r
      Connection: close\r
      \r
      \(page)
      """.utf8)
  }()
}
