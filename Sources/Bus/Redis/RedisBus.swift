internal import Basics
package import Reactor

/// A bus over one or several Redis or Valkey servers.
///
/// It listens on all of them, and sends to the one that a hash of the inbox selects, or to the next
/// if that one is down or has no listener: the servers are independent of each other.
package final class RedisBus: Bus {
  package let messageByteLimit = 8_388_608

  /// Milliseconds for which a server without a listener of an inbox is skipped.
  private static let passing: Int64 = 1000

  private static let passedOverLimit = 1024

  private let context: BusLoop
  private var endpoints: [RedisEndpoint] = []
  private let report: BusReport
  /// The times until which servers are skipped for an inbox, by the servers' indexes.
  private var passedOver: [Inbox: [Int: Int64]] = [:]

  /// Starts to connect.
  ///
  /// - Parameters:
  ///   - addresses: The servers, at least one, in the same order for all buses of a cluster.
  ///   - inboxes: The inboxes to listen to, at least one.
  ///   - resolver: Names are looked up before each attempt to connect.
  package init(
    _ addresses: [RedisAddress], listeningTo inboxes: [Inbox], on loop: EventLoop,
    resolver: NameResolver = NameResolver(), handler: @escaping BusHandler
  ) throws(SystemError) {
    precondition(!addresses.isEmpty && !inboxes.isEmpty, "a bus needs a server and an inbox")
    context = try BusLoop(loop)
    report = BusReport(handler)
    endpoints = addresses.map { address in
      RedisEndpoint(address, inboxes: inboxes, on: context, resolver: resolver, owner: self)
    }
    // Not before the caller has the bus.
    let bound = LoopBound(self)
    context.jobs.post {
      for endpoint in bound.value.endpoints { endpoint.start() }
    }
  }

  package func send(_ message: [UInt8], to inbox: Inbox) {
    guard message.count <= messageByteLimit else { return }
    endpoint(for: inbox)?.send(message, to: inbox)
  }

  package func flush() {
    for endpoint in endpoints { endpoint.flush() }
  }

  package func close() {
    for endpoint in endpoints { endpoint.close() }
    context.close()
  }

  private func endpoint(for inbox: Inbox) -> RedisEndpoint? {
    let first = Int(inbox.hash % UInt64(endpoints.count))
    let places = (0..<endpoints.count).map { (first + $0) % endpoints.count }
      .filter { endpoints[$0].isOpen }
    let place = places.first { !isPassedOver($0, for: inbox) } ?? places.first
    return place.map { endpoints[$0] }
  }

  private func isPassedOver(_ place: Int, for inbox: Inbox) -> Bool {
    passedOver[inbox]?[place].map { $0 > context.loop.now } ?? false
  }
}

extension RedisBus: RedisEndpointOwner {
  func endpointDidOpen(_ endpoint: RedisEndpoint) {
    passedOver = [:]
    report.opened(endpoint.name)
  }

  func endpoint(_ endpoint: RedisEndpoint, failed reason: String) {
    report.failed(endpoint.name, reason)
  }

  func endpoint(_ endpoint: RedisEndpoint, received message: [UInt8]) {
    report.received(message)
  }

  func endpoint(_ endpoint: RedisEndpoint, hasNoListenerOf inbox: Inbox) {
    guard endpoints.count > 1, let place = endpoints.firstIndex(where: { $0 === endpoint }) else {
      return
    }
    // Inboxes appear and disappear with their servers.
    if passedOver.count >= Self.passedOverLimit { passedOver = [:] }
    passedOver[inbox, default: [:]][place] = context.loop.now + Self.passing
  }
}

extension Inbox {
  /// The same in every process.
  fileprivate var hash: UInt64 { FNV1a.hash(name) }
}
