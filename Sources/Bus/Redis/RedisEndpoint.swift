internal import Basics
internal import DequeModule
internal import Reactor
internal import Streams

/// A receiver of an endpoint's events; it must not close the endpoint while it is called.
protocol RedisEndpointOwner: AnyObject {
  func endpointDidOpen(_ endpoint: RedisEndpoint)
  func endpoint(_ endpoint: RedisEndpoint, failed reason: String)
  func endpoint(_ endpoint: RedisEndpoint, received message: [UInt8])
  /// The server has delivered a message to no subscriber.
  func endpoint(_ endpoint: RedisEndpoint, hasNoListenerOf inbox: Inbox)
}

/// One of a bus's Redis servers: a subscribing and a publishing connection, monitored, and reopened
/// after a failure.
///
///     opening ─► open ─► waiting ─► opening …
///
/// The endpoint is open once its own message has come back. Confined to its loop.
final class RedisEndpoint {
  private enum Stage: Equatable {
    case opening(deadline: Int64)
    case open
    case waiting
    case closed
  }

  /// The commands that await replies, in order.
  private enum Sent {
    case message(Inbox)
    case probe
    case role
  }

  /// The maximum size of the queued output for a server: beyond it the server is given up.
  static let outputLimit = 67_108_864

  /// The server's address for display.
  let name: String
  private let address: RedisAddress
  private let inboxes: [Inbox]
  private let echoInbox: Inbox
  private let context: BusLoop
  private let resolver: NameResolver
  private weak var owner: (any RedisEndpointOwner)?
  private var stage = Stage.waiting
  private var subscriber: RedisConnection?
  private var publisher: RedisConnection?
  private var sent: Deque<Sent> = []
  private var confirmedCount = 0
  private var watch = EchoWatch()
  private var attempts = Attempts()
  private var timer: SingleTimer
  private var tls: TLSClientContext?
  /// Whether the user is allowed to query the server's role.
  private var asksForRole = true

  init(
    _ address: RedisAddress, inboxes: [Inbox], on context: BusLoop, resolver: NameResolver,
    owner: any RedisEndpointOwner
  ) {
    name = address.description
    self.address = address
    self.inboxes = inboxes
    echoInbox = Inbox(echoBeside: inboxes[0], number: .random(in: 0 ... .max))
    self.context = context
    timer = SingleTimer(on: context.loop)
    self.resolver = resolver
    self.owner = owner
  }

  /// Whether messages flow in both directions.
  var isOpen: Bool { stage == .open }

  /// Publishes a message; the message is lost unless the endpoint is open.
  func send(_ message: [UInt8], to inbox: Inbox) {
    guard isOpen, let publisher else { return }
    publisher.send([Array("PUBLISH".utf8), Array(inbox.name.utf8), message])
    sent.append(.message(inbox))
    guard publisher.queuedByteCount > Self.outputLimit else { return }
    fail("it reads too slowly: more than \(Self.outputLimit >> 20) MiB wait for it")
  }

  func flush() {
    publisher?.flush()
    subscriber?.flush()
  }

  func close() {
    stage = .closed
    owner = nil
    timer.cancel()
    dropConnections()
  }

  /// Starts to connect, unless the endpoint was closed.
  func start() {
    guard stage == .waiting else { return }
    watch = EchoWatch()
    sent = []
    confirmedCount = 0
    stage = .opening(deadline: context.loop.now + Attempts.timeLimit)
    do throws(TLSError) {
      // Read at each attempt: the file may have been replaced.
      tls = try address.tlsContext()
    } catch {
      return fail(error.description)
    }
    subscriber = open()
    publisher = open()
    timer.set(after: EchoWatch.interval, self)
  }

  private func open() -> RedisConnection {
    let connection = RedisConnection(address, tls: tls, on: context, owner: self)
    connection.start(resolver: resolver)
    return connection
  }

  private func fail(_ reason: String) {
    guard stage != .closed, stage != .waiting else { return }
    stage = .waiting
    dropConnections()
    timer.set(after: attempts.didFail(), self)
    owner?.endpoint(self, failed: "\(name): \(reason)")
  }

  private func dropConnections() {
    subscriber?.close()
    publisher?.close()
    (subscriber, publisher) = (nil, nil)
  }
}

extension RedisEndpoint: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer.didFire()
    let now = context.loop.now
    switch stage {
    case .closed: return
    case .waiting: return start()
    case .opening(let deadline) where now >= deadline:
      return fail(watch.fault(at: now)?.rawValue ?? "connecting takes too long")
    case .opening: break
    case .open:
      if let fault = watch.fault(at: now) { return fail(fault.rawValue) }
    }
    probe()
    timer.set(after: EchoWatch.interval, self)
  }

  /// Sends a message to this bus itself, and queries whether the server is a replica: a server that
  /// was demoted continues to deliver, but only to clients that are still connected to it.
  private func probe() {
    // No message would come back before all subscriptions are confirmed.
    guard let publisher, publisher.isOpen, confirmedCount > inboxes.count else { return }
    let number = watch.probe(at: context.loop.now)
    if asksForRole {
      publisher.send([Array("ROLE".utf8)])
      sent.append(.role)
    }
    publisher.send(
      [Array("PUBLISH".utf8), Array(echoInbox.name.utf8), Array(String(number).utf8)])
    sent.append(.probe)
  }
}

extension RedisEndpoint: RedisConnectionOwner {
  func connectionDidOpen(_ connection: RedisConnection) {
    if connection === subscriber {
      let names = (inboxes + [echoInbox]).map { Array($0.name.utf8) }
      connection.send([Array("SUBSCRIBE".utf8)] + names)
    } else if confirmedCount > inboxes.count {
      probe()
    }
  }

  func connection(_ connection: RedisConnection, failed reason: String) {
    fail(reason)
  }

  func connection(_ connection: RedisConnection, received reply: RedisReply) {
    if case .error(let line) = reply, !isAboutRole(connection, line) {
      return fail(RedisRefusal(line).reason)
    }
    if connection === subscriber { receive(reply) } else { receiveAnswer(reply) }
  }

  /// Whether an error only means that the user is not allowed to query the role.
  private func isAboutRole(_ connection: RedisConnection, _ line: String) -> Bool {
    guard connection === publisher, case .role = sent.first else { return false }
    return line.hasPrefix("NOPERM") || line.hasPrefix("ERR unknown command")
  }

  private func receiveAnswer(_ reply: RedisReply) {
    let now = context.loop.now
    watch.showedLife(at: now)
    switch sent.popFirst() {
    case nil: fail("it answers what was not asked")
    case .probe: watch.wasAnswered(at: now)
    case .message(let inbox):
      if case .integer(0) = reply { owner?.endpoint(self, hasNoListenerOf: inbox) }
    case .role:
      if case .array(let parts) = reply {
        if parts.first?.reads("slave") == true { fail("the server is a replica") }
      } else {
        asksForRole = false
      }
    }
  }

  private func receive(_ reply: RedisReply) {
    let now = context.loop.now
    watch.delivered(at: now)
    guard case .array(let parts) = reply, parts.count == 3 else { return }
    if parts[0].reads("message"), let channel = parts[1].bytes, let content = parts[2].bytes {
      if channel.elementsEqual(echoInbox.name.utf8) {
        heardEcho(content, at: now)
      } else {
        owner?.endpoint(self, received: content)
      }
    } else if parts[0].reads("subscribe") {
      confirmedCount += 1
      if confirmedCount == inboxes.count + 1 { probe() }
    }
  }

  private func heardEcho(_ content: [UInt8], at now: Int64) {
    guard let number = UInt64(decimal: String(decoding: content, as: UTF8.self)) else { return }
    watch.heard(number, at: now)
    guard case .opening = stage, watch.isProven else { return }
    stage = .open
    attempts.didSucceed()
    owner?.endpointDidOpen(self)
  }
}
