internal import Logging
internal import Reactor
internal import Unfurler

/// Answers questions for link previews over HTTP from an unfurler, on one event loop of its own.
///
/// Each question is a look-up of its own: there is no cache here, and the same link asked about many
/// times at once is fetched as often. Clients keep answers and join questions, as the
/// gateway does. A question whose connection ends is called off.
final class UnfurlServer: Sendable {
  /// The addresses that it listens on, as bound: numeric host and port.
  let addresses: [SocketAddress]

  private let mailbox: Mailbox<UnfurlLoopMail>
  private let thread: Reactor.Thread

  /// Listens and begins to serve.
  ///
  /// - Parameter unfurler: Looks links up; it is its owner's to shut down, after the server.
  /// - Throws: ``SystemError`` naming the call that failed, and the address where it was one.
  init(
    configuration: UnfurlServerConfiguration, unfurler: any Unfurler, logger: Logger
  ) throws(SystemError) {
    let listeners = try Listeners(configuration.listen)
    let mailbox = try Mailbox<UnfurlLoopMail>()
    let start = StartReport<SystemError>()
    self.mailbox = mailbox
    addresses = listeners.addresses
    thread = try Reactor.Thread(name: "unfurl-server") {
      do throws(SystemError) {
        let server = try UnfurlLoop(
          configuration, unfurler: unfurler, mailbox: mailbox, logger: logger)
        try server.listen(listeners.descriptors)
        start.add(.success(()))
        server.loop.run()
      } catch {
        start.add(.failure(error))
      }
    }
    do throws(SystemError) {
      try start.wait(for: 1)
    } catch {
      listeners.close()
      throw error
    }
  }

  deinit { mailbox.post(.hurry) }

  /// Begins to end: takes no new questions, answers those that it has.
  func drain() { mailbox.post(.drain) }

  /// Ends at once: calls off what is unanswered, and says so.
  func hurry() { mailbox.post(.hurry) }

  /// Calls `answer`, from another thread, once the event loop has taken a turn since.
  ///
  /// It is never called when that is stuck, or has ended.
  func takePulse(_ answer: @escaping @Sendable () -> Void) {
    mailbox.post(.pulse(answer: answer))
  }

  /// Waits until it has ended, after ``drain()`` or ``hurry()``.
  func waitUntilStopped() { thread.join() }
}
