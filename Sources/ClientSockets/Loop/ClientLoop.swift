package import ClientTransport
internal import HTTP
package import Reactor
internal import Streams
internal import Synchronization

/// A background thread that reads and writes for any number of clients.
///
/// Clients use ``shared()`` unless they are given another loop.
package final class ClientLoop: Sendable {
  package typealias Job = @Sendable (ClientLoopContext) -> Void

  private static let sharedLoop = Mutex<ClientLoop?>(nil)

  private let mailbox: Mailbox<Job>
  private let thread: Thread

  /// Returns the loop of the process, started by the first call.
  package static func shared() throws(SystemError) -> ClientLoop {
    // A mutex's body cannot throw typed errors through `rethrows`, hence the result.
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

  /// Starts a thread, which ends when the loop is released.
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

  /// Runs `job` on the loop's thread, after the jobs posted before it.
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

/// The resources shared by the clients of a loop: the loop itself, buffers, TLS contexts, and the
/// flush at the end of a turn.
///
/// Confined to the loop's thread.
package final class ClientLoopContext: ReadinessHandler {
  /// A context holds all of the system's authorities, so clients with the same trust share one.
  private static let contextLimit = 16

  package let loop: EventLoop
  let resolver: NameResolver
  let deflate = DeflateWorkspace()
  let resources = StreamResources()
  /// The output of frames during the current read.
  var output = WebSocketOutput()
  /// The members of this loop, by the identity of their owners.
  package var members: [ObjectIdentifier: any LaneMember] = [:]
  private let mailbox: Mailbox<ClientLoop.Job>
  private var registration: EventLoop.Registration?
  private var jobs: [ClientLoop.Job] = []
  private var unflushed: [ClientConnection] = []
  private var contexts: [TLSTrust: TLSClientContext] = [:]

  init(_ mailbox: Mailbox<ClientLoop.Job>, resolver: NameResolver) throws(SystemError) {
    self.mailbox = mailbox
    self.resolver = resolver
    loop = try EventLoop()
    registration = try loop.register(mailbox.descriptor, for: .readable, handler: self)
  }

  /// Posts jobs to this loop, from any thread.
  var poster: @Sendable (@escaping ClientLoop.Job) -> Void {
    { [mailbox] in mailbox.post($0) }
  }

  /// Runs turns until ``stop()``.
  func run() {
    loop.endOfTurn = { [unowned self] in flush() }
    loop.run()
  }

  /// Ends the thread and drops the connections.
  func stop() {
    for member in members.values { member.abandon() }
    members = [:]
    // Otherwise the loop would retain this object, which retains the loop.
    if let registration { loop.deregister(registration) }
    loop.stop()
  }

  package func descriptorIsReady(for readiness: Readiness) {
    mailbox.acknowledge()
    jobs.removeAll(keepingCapacity: jobs.capacity <= 4096)
    jobs = mailbox.takeAll(reusing: jobs)
    for job in jobs { job(self) }
    jobs.removeAll(keepingCapacity: true)
  }

  func needsFlush(_ connection: ClientConnection) {
    unflushed.append(connection)
  }

  /// Returns the context for a client's trust.
  func tlsContext(_ trust: TLSTrust) throws(TLSError) -> TLSClientContext {
    if let context = contexts[trust] { return context }
    let made = try TLSClientContext(trust: trust)
    if contexts.count >= Self.contextLimit { contexts = [:] }
    contexts[trust] = made
    return made
  }

  private func flush() -> TurnOutcome {
    while !unflushed.isEmpty {
      let waiting = unflushed
      unflushed = []
      for connection in waiting { connection.flush() }
    }
    return .idle
  }
}
