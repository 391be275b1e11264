internal import Basics
internal import PostgreSQL
internal import Reactor

/// A receiver of the events of a bus's connections; it may close them while it is called.
protocol NotificationOwner: AnyObject {
  /// The server has accepted some messages, including a number of probes.
  func sentBatch(probeCount: Int)
  func received(_ message: [UInt8], from inbox: String)
  func failed(_ reason: String)
}

/// A connection that sends notifications.
///
/// Messages of one turn are sent in a batch; later ones queue while batches are in flight.
final class NotificationSender: ReadinessHandler {
  /// Sends notifications in order.
  ///
  /// The server drops equal notifications within a transaction, so each carries a number.
  static let statement = """
    SELECT count(pg_notify(inbox, payload)), (pg_notification_queue_usage() * 1000000)::bigint \
    FROM unnest($1::text[], $2::text[]) AS message (inbox, payload)
    """

  /// The maximum number of messages in a batch.
  private static let batchLimit = 500
  /// The maximum number of batches in flight.
  private static let awaitedLimit = 4
  /// The maximum size of the queued output: beyond it the server is given up.
  private static let outputLimit = 67_108_864

  private let loop: EventLoop
  private weak var owner: (any NotificationOwner)?
  private var pipeline: PostgreSQLPipeline?
  private var registration: EventLoop.Registration?
  private var isBlocked = false
  private var inboxes: [String?] = []
  private var payloads: [String?] = []
  private var waitingByteCount = 0
  private var number: UInt32 = 0
  /// The queued probes, by the number of messages before them.
  private var probePlaces: [Int] = []
  /// The number of probes in each batch in flight.
  private var probeCounts: [Int] = []
  private(set) var queueUsage = 0.0

  init(
    _ connection: PostgreSQLConnection, on loop: EventLoop, owner: any NotificationOwner
  ) throws(PostgreSQLError) {
    self.loop = loop
    self.owner = owner
    let pipeline = try PostgreSQLPipeline(connection, for: Self.statement)
    self.pipeline = pipeline
    do throws(SystemError) {
      registration = try loop.register(pipeline.descriptor, for: .readable, handler: self)
    } catch {
      throw PostgreSQLError(kind: .disconnected, message: error.description)
    }
  }

  func append(_ message: [UInt8], to inbox: Inbox) {
    let payload = NotificationPayload.encode(message, number: number)
    number &+= 1
    waitingByteCount += payload.utf8.count
    inboxes.append(inbox.name)
    payloads.append(payload)
    guard waitingByteCount > Self.outputLimit else { return }
    owner?.failed("it is too slow: more than \(Self.outputLimit >> 20) MiB wait for it")
  }

  func appendProbe(_ probe: UInt64, to inbox: Inbox) {
    probePlaces.append(payloads.count)
    append(Array(String(probe).utf8), to: inbox)
  }

  /// Sends queued messages, as far as the limit of batches in flight allows.
  func flush() {
    do throws(PostgreSQLError) {
      while let pipeline, !payloads.isEmpty, pipeline.awaitedCount < Self.awaitedLimit {
        try pipeline.send(takeBatch())
      }
      guard let pipeline else { return }
      try setBlocked(!pipeline.flush())
    } catch {
      owner?.failed(error.message)
    }
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    pipeline = nil
    owner = nil
  }

  func descriptorIsReady(for readiness: Readiness) {
    do throws(PostgreSQLError) {
      try pipeline?.receive { outcome in
        switch outcome {
        case .success(let rows):
          queueUsage = Double(rows.integer(0, 1)) / 1_000_000
          owner?.sentBatch(probeCount: probeCounts.removeFirst())
        case .failure(let error): owner?.failed(Self.reason(error))
        }
      }
    } catch {
      owner?.failed(error.message)
    }
    flush()
  }

  private func takeBatch() -> [PostgreSQLValue] {
    let count = min(payloads.count, Self.batchLimit)
    let values: [PostgreSQLValue] = [
      .texts(Array(inboxes.prefix(count))), .texts(Array(payloads.prefix(count))),
    ]
    for payload in payloads.prefix(count) { waitingByteCount -= payload?.utf8.count ?? 0 }
    inboxes.removeFirst(count)
    payloads.removeFirst(count)
    probeCounts.append(probePlaces.count { $0 < count })
    probePlaces = probePlaces.filter { $0 >= count }.map { $0 - count }
    return values
  }

  private func setBlocked(_ isNow: Bool) throws(PostgreSQLError) {
    guard isNow != isBlocked, let registration else { return }
    isBlocked = isNow
    do throws(SystemError) {
      try loop.update(registration, for: isNow ? [.readable, .writable] : .readable)
    } catch {
      throw PostgreSQLError(kind: .disconnected, message: error.description)
    }
  }

  private static func reason(_ error: PostgreSQLError) -> String {
    guard error.kind == .statement(.programLimitExceeded) else { return error.message }
    return "its queue of notifications is full, as when a session that listens stays in a "
      + "transaction (\(error.message))"
  }
}

/// A connection that receives notifications.
final class NotificationListener: ReadinessHandler {
  private let loop: EventLoop
  private weak var owner: (any NotificationOwner)?
  private var connection: PostgreSQLConnection?
  private var registration: EventLoop.Registration?

  init(
    _ connection: PostgreSQLConnection, on loop: EventLoop, owner: any NotificationOwner
  ) throws(PostgreSQLError) {
    self.loop = loop
    self.owner = owner
    self.connection = connection
    do throws(SystemError) {
      registration = try loop.register(connection.descriptor, for: .readable, handler: self)
    } catch {
      throw PostgreSQLError(kind: .disconnected, message: error.description)
    }
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    connection = nil
    owner = nil
  }

  func descriptorIsReady(for readiness: Readiness) {
    guard let connection else { return }
    do throws(PostgreSQLError) {
      for notification in try connection.receiveNotifications() {
        guard let message = NotificationPayload.decode(notification.payload) else { continue }
        owner?.received(message, from: notification.channel)
      }
    } catch {
      owner?.failed(error.message)
    }
  }
}

/// A message as the text of a notification: a number of four characters, then the message, all in
/// Base64.
enum NotificationPayload {
  static func encode(_ message: [UInt8], number: UInt32) -> String {
    let head = [UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
    return Base64URL.encode(head + message)
  }

  /// Returns the message; `nil` for the text of another program.
  static func decode(_ payload: String) -> [UInt8]? {
    guard let bytes = Base64URL.decode(payload.utf8), bytes.count >= 3 else { return nil }
    return Array(bytes.dropFirst(3))
  }
}
