package import Reactor
internal import Synchronization

/// A web server with pages to link to, so that previews are part of the load and nobody else is
/// asked for them.
package final class LinkPages: Sendable {
  /// The prefix of the pages' URLs; a number follows.
  package let base: String
  private let mailbox: Mailbox<Bool>
  private let thread: Thread

  /// Listens on 127.0.0.1, on a port that is free.
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
        let server = try PageLoop(listening: descriptor, until: mailbox)
        start.add(.success(()))
        server.run()
      } catch {
        start.add(.failure(error))
      }
    }
    try start.wait(for: 1)
  }

  /// Ends the thread, and waits for that.
  package func stop() {
    mailbox.post(true)
    thread.join()
  }
}
