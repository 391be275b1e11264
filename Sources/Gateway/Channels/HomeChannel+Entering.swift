import Channels
import FloodControl
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Transport

/// A connection that enters a channel.
struct Entrance: Sendable {
  let caller: SessionPrincipal
  let recover: StreamPosition?
  let address: ReplyAddress

  /// Bytes of the answer beside the channel.
  var eventByteLimit: Int { max(address.limit - Limits.eventByteCount, 0) }
}

extension HomeChannel {
  /// Reads beside the writer before one in its queue, which nothing can overtake.
  private static let readsAhead = 3

  /// Lets a connection in, with what it missed if that can be had.
  func enter(_ entrance: Entrance) {
    do throws(ServiceError) {
      guard !isDeleted else { throw .notFound(.channel, url) }
      guard !isRestricted(entrance.caller.user.id, by: bans) else { throw .banned(url) }
    } catch {
      refuse(entrance, error)
      return
    }
    guard let position = recoverable(entrance.recover) else {
      admit(entrance, recovery: nil)
      return
    }
    recover(entrance, from: position)
  }

  /// The `seq` to recover from; `nil` when that can't be done.
  private func recoverable(_ position: StreamPosition?) -> Int64? {
    guard let position, position.epoch == epoch, !record.isEphemeral,
      (lastSeq - EventLog.recoverableCount...lastSeq).contains(position.seq), position.seq >= 0
    else { return nil }
    return position.seq
  }

  /// Reads what was missed, and the updates that may have been held back when the client's
  /// connection was lost.
  private func recover(_ entrance: Entrance, from seq: Int64) {
    let id = storeID
    let byteLimit = Int64(entrance.eventByteLimit)
    readMissed(entrance) {
      let reach = UpdatePacer<MessageUpdate>.reach
      guard let missed = try $0.events(channelID: id, after: seq, byteLimit: byteLimit),
        let updates = try $0.recentUpdates(channelID: id, upTo: seq, within: reach)
      else { return nil }
      return updates + missed
    } then: { channel, result in
      channel.didRead(result, entrance, [], from: seq, readsLeft: Self.readsAhead)
    }
  }

  /// Reads for a caller who waits to enter: a look-up, charged as the list that it is.
  private func readMissed(
    _ entrance: Entrance,
    _ job: @escaping @Sendable (ReadTransaction) throws -> [DurableEvent]?,
    then: @escaping @Sendable (HomeChannel, Result<[DurableEvent]?, ServiceError>) -> Void
  ) {
    let (caller, services) = (QueryCaller.session(entrance.caller), services)
    lookUp(
      { transaction in
        let start = SystemClock.monotonicNanoseconds
        defer {
          let time = UInt64(max(0, SystemClock.monotonicNanoseconds - start))
          caller.pay(QueryCost(nanoseconds: time, isCutShort: false), to: services)
        }
        return try job(transaction)
      }, then: then)
  }

  /// Reads what was missed, until nothing has happened since the last read.
  private func recover(
    _ entrance: Entrance, _ known: [DurableEvent], from seq: Int64, readsLeft: Int
  ) {
    guard seq < lastSeq else {
      admit(entrance, recovery: known)
      return
    }
    let id = storeID
    let byteLimit = Int64(entrance.eventByteLimit)
    let proceed: @Sendable (HomeChannel, Result<[DurableEvent]?, ServiceError>) -> Void = {
      channel, result in
      channel.didRead(result, entrance, known, from: seq, readsLeft: readsLeft)
    }
    if readsLeft > 0 {
      readMissed(
        entrance, { try $0.events(channelID: id, after: seq, byteLimit: byteLimit) }, then: proceed)
    } else {
      write({ try $0.events(channelID: id, after: seq, byteLimit: byteLimit) }, then: proceed)
    }
  }

  private func didRead(
    _ result: Result<[DurableEvent]?, ServiceError>, _ entrance: Entrance,
    _ known: [DurableEvent], from seq: Int64, readsLeft: Int
  ) {
    switch result {
    case .failure(let error): refuse(entrance, error)
    case .success(nil): admit(entrance, recovery: nil)
    case .success(let events?):
      // What is committed but not yet told here will reach the connection as an event.
      let told = events.filter { $0.seq <= lastSeq }
      let reached = max(told.last?.seq ?? seq, readsLeft == 0 ? lastSeq : seq)
      guard recoverable(entrance.recover) != nil else {
        admit(entrance, recovery: nil)
        return
      }
      recover(entrance, known + told, from: reached, readsLeft: readsLeft - 1)
    }
  }

  private func admit(_ entrance: Entrance, recovery events: [DurableEvent]?) {
    guard !isDeleted, !isRestricted(entrance.caller.user.id, by: bans) else {
      refuse(entrance, isDeleted ? .notFound(.channel, url) : .banned(url))
      return
    }
    // What this turn has gathered so far happened before the entering.
    fanOut()
    let user = entrance.caller.user
    let session = entrance.caller.session
    let recovered = events.flatMap {
      RecoveredEvents(
        $0, viewerID: user.id, isOperator: isOperator(user.id), channel: self,
        byteLimit: entrance.eventByteLimit)
    }
    if !participants.contains(session, of: user.id) { subscriberCounts[Int(session.shard)] += 1 }
    let slot = participants.add(
      session, of: user, throttle: recovered?.throttle ?? Throttle())
    welcome(entrance, recovered)
    if let slot { didSeat(user, in: slot, recovered, except: session) }
  }

  private func didSeat(
    _ user: User, in slot: Int, _ recovered: RecoveredEvents?, except session: SessionAddress
  ) {
    node.gauges.add(1, to: .participants)
    withheld.clear(slot: slot)
    var seat = SlotSet()
    seat.insert(slot)
    for messageID in recovered?.withheldIDs ?? [] { withheld.record(messageID, withheldFrom: seat) }
    publishPresence(PresenceChange(user: user, session: session), isPresent: true)
  }

  /// Answers with the channel as it is; the connection gets all events after it.
  private func welcome(_ entrance: Entrance, _ recovered: RecoveredEvents?) {
    let result = JSONWriter.bytes {
      $0.object {
        $0.name("channel")
        record.encode(participantCount: participants.count, into: &$0)
        $0.member("participant_count", participants.count)
        $0.member("epoch", epoch)
        $0.member("seq", lastSeq)
        $0.member("recovered", recovered != nil)
        $0.member(
          "events", array: { for event in recovered?.events ?? [] { $0.value(raw: event) } })
      }
    }
    let url = url
    let address = entrance.address
    let userID = entrance.caller.user.id
    node.post(to: services.cluster.node(of: address.session)) { node in
      node.didEnter(url, userID: userID, address, result: result)
    }
  }

  private func refuse(_ entrance: Entrance, _ error: ServiceError) {
    let caller = entrance.caller
    if !participants.contains(caller.session, of: caller.user.id) { node.release(url, caller) }
    reply(.failure(error), to: entrance.address)
  }

  /// Takes a connection out.
  func leave(_ session: SessionAddress, userID: String) {
    guard participants.contains(session, of: userID) else { return }
    subscriberCounts[Int(session.shard)] -= 1
    lastUse = node.loop.now
    guard let user = participants.remove(session, of: userID) else { return }
    node.gauges.add(-1, to: .participants)
    publishPresence(PresenceChange(user: user, session: nil), isPresent: false)
  }

  /// Puts a user out with all its connections, after it was told why.
  func expel(_ userID: String) {
    fanOut()
    guard let participant = participants.removeAll(of: userID) else { return }
    node.gauges.add(-1, to: .participants)
    for session in participant.connections { unsubscribe(session) }
    publishPresence(PresenceChange(user: participant.user, session: nil), isPresent: false)
  }

  /// Puts everyone out, after they were told why.
  func expelAll() {
    fanOut()
    var connections: [SessionAddress] = []
    participants.forEachConnection { session, _ in connections.append(session) }
    node.gauges.add(-Int64(participants.count), to: .participants)
    participants = Participants(operatorIDs: operatorIDs)
    services.participantCounts.set(0, of: url)
    for session in connections { unsubscribe(session) }
  }

  private func unsubscribe(_ session: SessionAddress) {
    subscriberCounts[Int(session.shard)] -= 1
    let url = url
    node.post(toSession: session) { $0.wasPutOut(of: url) }
  }
}
