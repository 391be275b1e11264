internal import Basics
internal import PostgreSQL
package import Reactor

/// A bus over the notifications of a PostgreSQL server, for small clusters without Redis.
///
/// One connection listens and another notifies, so a message is never part of a transaction of the
/// store. Each counts against the server's `max_connections`.
package final class PostgreSQLBus: Bus {
  /// The bytes that fit in Base64, with the message's number, into a payload of less than 8,000
  /// bytes (PostgreSQL, NOTIFY).
  package let messageByteLimit = 5_994

  private enum Stage: Equatable {
    /// A thread is opening the connections.
    case opening
    /// The connections are open; no message has come back yet.
    case proving(deadline: Int64)
    case open
    case waiting
    case closed
  }

  private static let name = "PostgreSQL"

  private let url: String
  private let inboxes: [Inbox]
  private let echoInbox: Inbox
  private let context: BusLoop
  private let report: BusReport
  private var stage = Stage.waiting
  private var listener: NotificationListener?
  private var sender: NotificationSender?
  private var watch = EchoWatch()
  private var attempts = Attempts()
  private var timer: SingleTimer

  /// Starts to connect.
  ///
  /// - Parameters:
  ///   - url: A connection string or URI in libpq syntax.
  ///   - inboxes: The inboxes to listen to, at least one.
  package init(
    _ url: String, listeningTo inboxes: [Inbox], on loop: EventLoop, handler: @escaping BusHandler
  ) throws(SystemError) {
    precondition(!inboxes.isEmpty, "a bus needs an inbox")
    self.url = url
    self.inboxes = inboxes
    echoInbox = Inbox(echoBeside: inboxes[0], number: .random(in: 0 ... .max))
    context = try BusLoop(loop)
    timer = SingleTimer(on: loop)
    report = BusReport(handler)
    // Not before the caller has the bus.
    let bound = LoopBound(self)
    context.jobs.post { bound.value.start() }
  }

  /// The used fraction of the server's notification queue, 0 to 1, as of the last message.
  ///
  /// It grows while a listening session stays in a transaction.
  package var queueUsage: Double { sender?.queueUsage ?? 0 }

  package func send(_ message: [UInt8], to inbox: Inbox) {
    guard stage == .open, message.count <= messageByteLimit else { return }
    sender?.append(message, to: inbox)
  }

  package func flush() {
    sender?.flush()
  }

  package func close() {
    stage = .closed
    timer.cancel()
    dropConnections()
    context.close()
  }

  private func start() {
    guard stage == .waiting else { return }
    stage = .opening
    let names = (inboxes + [echoInbox]).map(\.name)
    let (url, bound, jobs) = (url, LoopBound(self), context.jobs)
    do throws(SystemError) {
      // libpq resolves names and connects synchronously.
      _ = try Thread(name: "parley-bus") {
        let outcome = NotificationConnections.open(url, listeningTo: names)
        jobs.post { bound.value.didConnect(outcome) }
      }
    } catch {
      fail(error.description)
    }
  }

  private func didConnect(_ outcome: Result<NotificationConnections, PostgreSQLError>) {
    guard stage == .opening else { return }
    do throws(PostgreSQLError) {
      let connections = try outcome.get()
      guard let pair = connections.take() else { return }
      watch = EchoWatch()
      stage = .proving(deadline: context.loop.now + Attempts.timeLimit)
      listener = try NotificationListener(pair.listener, on: context.loop, owner: self)
      sender = try NotificationSender(pair.sender, on: context.loop, owner: self)
      probe()
    } catch {
      fail(error.message)
    }
  }

  private func fail(_ reason: String) {
    guard stage != .closed, stage != .waiting else { return }
    stage = .waiting
    dropConnections()
    timer.set(after: attempts.didFail(), self)
    report.failed(Self.name, "\(Self.name): \(reason)")
  }

  private func dropConnections() {
    listener?.close()
    sender?.close()
    (listener, sender) = (nil, nil)
  }
}

extension PostgreSQLBus: TimerHandler {
  package func timerDidFire(_ token: EventLoop.TimerToken) {
    timer.didFire()
    switch stage {
    case .closed, .opening: return
    case .waiting: start()
    case .proving, .open:
      if let fault = watch.fault(at: context.loop.now) { return fail(fault.rawValue) }
      if case .proving(let deadline) = stage, context.loop.now >= deadline {
        return fail("no message comes back")
      }
      probe()
    }
  }

  private func probe() {
    sender?.appendProbe(watch.probe(at: context.loop.now), to: echoInbox)
    timer.set(after: EchoWatch.interval, self)
  }
}

extension PostgreSQLBus: NotificationOwner {
  func failed(_ reason: String) {
    fail(reason)
  }

  func sentBatch(probeCount: Int) {
    watch.showedLife(at: context.loop.now)
    for _ in 0..<probeCount { watch.wasAnswered(at: context.loop.now) }
  }

  func received(_ message: [UInt8], from inbox: String) {
    let now = context.loop.now
    watch.delivered(at: now)
    guard inbox == echoInbox.name else { return report.received(message) }
    guard let number = UInt64(decimal: String(decoding: message, as: UTF8.self)) else { return }
    watch.heard(number, at: now)
    guard case .proving = stage, watch.isProven else { return }
    stage = .open
    attempts.didSucceed()
    report.opened(Self.name)
  }
}
