internal import Configuration
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

  /// Begins to end: accepts no new questions, answers the pending ones.
  func drain() { mailbox.post(.drain) }

  /// Ends at once: cancels the pending questions, and answers them accordingly.
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

/// The limits of a preview server, and its addresses.
///
/// Times are milliseconds.
struct UnfurlServerConfiguration: Sendable {
  /// The addresses to listen on; port 0 picks a free one.
  var listen: [SocketAddress]
  /// The time limit for receiving a request, in milliseconds.
  var headTimeout: Int64 = 10_000
  /// The time for which a connection is kept between two requests, in milliseconds.
  var keepAliveTimeout: Int64 = 75_000
  /// The time limit of a look-up, whatever the question asks for, in milliseconds.
  var timeout: Int64 = 5_000
  /// The largest number of unanswered questions; beyond it: 503 with `Retry-After`.
  var maximumPending = 10_000
  /// The time limit for unanswered questions when the server drains, in milliseconds.
  var drainTimeout: Int64 = 30_000

  init(listen: [SocketAddress]) { self.listen = listen }
}

extension UnfurlServerConfiguration {
  /// Reads the settings that concern serving.
  init(_ settings: Settings, _ fetching: UnfurlerConfiguration) {
    self.init(listen: settings.listen.map { SocketAddress($0.address, port: $0.port) })
    headTimeout = settings.limits.headTimeoutMilliseconds
    keepAliveTimeout = settings.limits.keepAliveTimeoutMilliseconds
    timeout = settings.unfurl.timeoutMilliseconds
    maximumPending = fetching.maximumWaiting
    drainTimeout = settings.drain.timeoutMilliseconds
  }
}

/// Listening sockets, opened together or not at all.
struct Listeners: Sendable {
  private(set) var descriptors: [Int32] = []
  private(set) var addresses: [SocketAddress] = []

  init(_ wanted: [SocketAddress]) throws(SystemError) {
    do throws(SystemError) {
      for address in wanted { try open(address) }
    } catch {
      close()
      throw error
    }
  }

  /// Closes the sockets, unless a loop has taken them over.
  func close() {
    for descriptor in descriptors { Socket.close(descriptor) }
  }

  private mutating func open(_ address: SocketAddress) throws(SystemError) {
    let (descriptor, bound) = try Socket.listenFirst(on: address)
    descriptors.append(descriptor)
    addresses.append(bound)
  }
}
