import Channels
import Configuration
import ParleyProtocol
import Telemetry

/// The answer to `group.recover` while it is being made: one group after the other, since they share the
/// room of the answer.
struct GroupRecovery: Sendable {
  let caller: SessionPrincipal
  let address: ReplyAddress
  private var rest: ArraySlice<GroupRecover.Part>
  /// An object for each answered group.
  private var results: [[UInt8]] = []
  /// The outcome of each answered group.
  private(set) var outcomes: [Outcome] = []
  /// The events that further groups may have.
  private var eventCount = GroupRecovery.eventLimit
  /// Their bytes.
  private(set) var byteCount: Int
  private let byteLimit: Int

  enum Outcome: Sendable {
    case recovered
    /// The events did not fit beside those of the groups before.
    case budget
    /// The events are not kept, or exceed an answer.
    case unavailable
    case refused
  }

  /// The number of events in an answer.
  static let eventLimit = 3_000
  /// Bytes of a result besides its events: names, the URL, the epoch, or an error.
  private static let resultByteCount = 1_536

  init(_ groups: GroupRecover, by caller: SessionPrincipal, replyTo address: ReplyAddress) {
    self.caller = caller
    self.address = address
    rest = groups.parts[...]
    byteLimit = max(address.limit - 64 - groups.parts.count * Self.resultByteCount, 0)
    byteCount = byteLimit
  }

  /// The group to be recovered now; `nil` at the end.
  var next: GroupRecover.Part? { rest.first }

  /// Adds the result of the next group.
  mutating func add(_ result: Result<RecoveredGroup, ServiceError>) {
    guard let part = rest.popFirst() else { return }
    results.append(
      JSONWriter.bytes {
        $0.object {
          $0.member("channel_url", part.channelURL)
          switch result {
          case .failure(let error):
            outcomes.append(.refused)
            $0.name("error")
            error.encode(into: &$0)
          case .success(let group): encode(group, after: part.position, into: &$0)
          }
        }
      })
  }

  /// Adds an error for all groups that are left.
  mutating func refuseRest(_ error: ServiceError) {
    while !rest.isEmpty { add(.failure(error)) }
  }

  private mutating func encode(
    _ group: RecoveredGroup, after position: StreamPosition, into writer: inout JSONWriter
  ) {
    let events = takeRoom(for: group.events)
    writer.member("epoch", group.epoch)
    writer.member("seq", group.seq)
    writer.member("recovered", events != nil)
    if events != nil {
      outcomes.append(.recovered)
    } else if isShort, group.reaches(position) {
      outcomes.append(.budget)
      writer.member("reason", "budget")
    } else {
      outcomes.append(.unavailable)
    }
    writer.member("events", array: { for event in events ?? [] { $0.value(raw: event) } })
  }

  /// Whether earlier groups have taken some of the room.
  private var isShort: Bool { byteCount < byteLimit }

  /// - Returns: `nil` for events that do not fit.
  private mutating func takeRoom(for events: [[UInt8]]?) -> [[UInt8]]? {
    guard let events, events.count <= eventCount else { return nil }
    let size = events.reduce(0) { $0 + $1.count + 1 }
    guard size <= byteCount else { return nil }
    eventCount -= events.count
    byteCount -= size
    return events
  }

  /// The result of the call.
  func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: results.reduce(64) { $0 + $1.count + 1 }) {
      $0.object {
        $0.member("results", array: { for result in results { $0.value(raw: result) } })
      }
    }
  }
}

extension GroupRecovery.Outcome {
  fileprivate var counter: GatewayCounter {
    switch self {
    case .recovered: .groupRecoveriesRecovered
    case .budget: .groupRecoveriesBudget
    case .unavailable: .groupRecoveriesUnavailable
    case .refused: .groupRecoveriesRefused
    }
  }
}

extension RecoveredGroup {
  /// Whether events after a position are kept, if they fit.
  fileprivate func reaches(_ position: StreamPosition) -> Bool {
    position.epoch == epoch && position.seq <= seq
      && seq - position.seq <= EventLog.recoverableCount
  }
}

extension Session {
  /// Returns the events that the connection has missed in groups.
  ///
  /// - Throws: 500910.
  func recover(
    _ groups: GroupRecover, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try pay(forFurther: groups.parts.count - 1)
    shard.proceed(with: GroupRecovery(groups, by: caller, replyTo: address))
  }
}

extension Shard {
  /// Recovers the next group for a session of this shard, unless it was closed.
  fileprivate func proceed(with recovery: GroupRecovery) {
    guard session(recovery.address.session) != nil else { return }
    guard let part = recovery.next else {
      for outcome in recovery.outcomes { counters.add(1, to: outcome.counter) }
      return reply(to: recovery.address, .success(recovery.encoded()))
    }
    poll(count: 1, within: edge == nil ? nil : settings.cluster.callTimeoutMilliseconds) {
      _, address in
      .channel(
        url: part.channelURL,
        .recover(
          after: part.position, by: recovery.caller, byteLimit: recovery.byteCount,
          replyTo: address))
    } then: { [unowned self] answers in
      var recovery = recovery
      if case .recovered(let result)? = answers.first {
        recovery.add(result)
      } else {
        // Each further group might take as long.
        recovery.refuseRest(.moved)
      }
      proceed(with: recovery)
    }
  }

  /// Answers a connection of a member with the events that it missed in a group that is at home here.
  func recover(
    _ url: String, after position: StreamPosition, by caller: SessionPrincipal, byteLimit: Int,
    replyTo address: PollAddress
  ) {
    channels.withChannel(url) { [unowned self] channel in
      do throws(ServiceError) {
        try channel.get().recover(
          after: position, by: caller, byteLimit: byteLimit, replyTo: address)
      } catch {
        send(.shard(address.shard, .answer(.recovered(.failure(error)), to: address)))
      }
    }
  }
}
