internal import Configuration
internal import Logging
internal import Reactor
internal import Unfurler

/// Answers queries for link previews over HTTP with an unfurler, on its own event loop.
///
/// Each query is a separate look-up: the server has no cache, and concurrent queries for the same
/// link fetch it repeatedly. Clients cache answers and merge queries, as the gateway does. A query
/// whose connection closes is cancelled.
final class UnfurlServer: Sendable {
  /// The listening addresses, as bound: numeric host and port.
  let addresses: [SocketAddress]

  private let mailbox: Mailbox<UnfurlLoopMail>
  private let thread: Reactor.Thread

  /// Listens and starts to serve.
  ///
  /// - Parameter unfurler: Looks up links; its owner must shut it down, after the server.
  /// - Throws: ``SystemError`` with the failed call, and the address if one was involved.
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

  /// Starts to shut down: rejects new queries and answers the pending ones.
  func drain() { mailbox.post(.drain) }

  /// Shuts down immediately: cancels the pending queries, and sends their clients the error.
  func hurry() { mailbox.post(.hurry) }

  /// Calls `answer`, from another thread, after the event loop's next turn.
  ///
  /// It is never called if the loop is stuck or has ended.
  func takePulse(_ answer: @escaping @Sendable () -> Void) {
    mailbox.post(.pulse(answer: answer))
  }

  /// Waits until the server has stopped, after ``drain()`` or ``hurry()``.
  func waitUntilStopped() { thread.join() }
}

/// The limits and addresses of a preview server.
///
/// Times are milliseconds.
struct UnfurlServerConfiguration: Sendable {
  /// The addresses to listen on; port 0 selects a free port.
  var listen: [SocketAddress]
  /// The time limit for receiving a request, in milliseconds.
  var headTimeout: Int64 = 10_000
  /// The time for which an idle connection is kept, in milliseconds.
  var keepAliveTimeout: Int64 = 75_000
  /// The maximum time limit of a look-up, whatever the query requests, in milliseconds.
  var timeout: Int64 = 5_000
  /// The maximum number of unanswered queries; beyond it: 503 with `Retry-After`.
  var maximumPending = 10_000
  /// The time limit for unanswered queries when the server drains, in milliseconds.
  var drainTimeout: Int64 = 30_000

  init(listen: [SocketAddress]) { self.listen = listen }
}

extension UnfurlServerConfiguration {
  /// Reads the settings for serving.
  init(_ settings: Settings, _ fetching: UnfurlerConfiguration) {
    self.init(listen: settings.listen.map { SocketAddress($0.address, port: $0.port) })
    headTimeout = settings.limits.headTimeoutMilliseconds
    keepAliveTimeout = settings.limits.keepAliveTimeoutMilliseconds
    timeout = settings.unfurl.timeoutMilliseconds
    maximumPending = fetching.maximumWaiting
    drainTimeout = settings.drain.timeoutMilliseconds
  }
}

/// Listening sockets, which are opened together or not at all.
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
