package import Reactor
internal import Synchronization

/// A background thread on which any number of clients read and write.
///
/// Clients share ``shared()`` unless they are given one of their own.
package final class ClientLoop: Sendable {
  package typealias Job = @Sendable (ClientLoopContext) -> Void

  private static let sharedLoop = Mutex<ClientLoop?>(nil)

  private let mailbox: Mailbox<Job>
  private let thread: Thread

  /// The loop of the process, started at the first call.
  package static func shared() throws(SystemError) -> ClientLoop {
    // A mutex's body can't throw typed errors through `rethrows`, hence the result.
    let result: Result<ClientLoop, SystemError> = sharedLoop.withLock { loop in
      if let loop { return .success(loop) }
      do throws(SystemError) {
        let made = try ClientLoop()
        loop = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Starts a thread; it ends when the loop is given up.
  package init(
    resolver: NameResolver = NameResolver(), name: String = "parley-client"
  ) throws(SystemError) {
    let mailbox = try Mailbox<Job>()
    let start = StartReport<SystemError>()
    self.mailbox = mailbox
    thread = try Thread(name: name) { Self.run(mailbox, resolver, start) }
    try start.wait(for: 1)
  }

  deinit {
    mailbox.post { $0.stop() }
  }

  /// Runs `job` on the loop's thread, after those that were posted before.
  package func post(_ job: @escaping Job) {
    mailbox.post(job)
  }

  private static func run(
    _ mailbox: Mailbox<Job>, _ resolver: NameResolver, _ start: StartReport<SystemError>
  ) {
    do throws(SystemError) {
      let context = try ClientLoopContext(mailbox, resolver: resolver)
      start.add(.success(()))
      context.run()
    } catch {
      start.add(.failure(error))
    }
  }
}
