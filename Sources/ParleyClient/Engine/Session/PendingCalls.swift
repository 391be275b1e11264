/// A call that has no response.
struct PendingCall: Sendable {
  /// The progress of the call.
  enum Phase: Sendable, Hashable {
    /// Not written on the current connection.
    case waiting
    case sent
  }

  /// The key that identifies a `message.send` in the channel's events.
  struct Send: Sendable, Hashable {
    let channelURL: String
    let requestID: String
  }

  /// The engine's own purpose of a call.
  enum Purpose: Sendable, Hashable {
    case plain
    case send(Send)
    /// Replaces the token.
    case refresh(accessToken: String)
  }

  let id: EngineCallID
  let call: EngineCall
  /// In milliseconds of the monotonic clock.
  let deadline: Int64
  let purpose: Purpose
  var phase = Phase.waiting
  /// The time when the call was first written, on any connection.
  var firstSent: Int64?

  /// The bytes that a waiting call uses: its text and the request around it.
  var byteCount: Int { call.params.count + call.method.utf8.count + 64 }
}

/// The calls without a response, in the order in which they were made.
///
/// Almost all calls have the same time limit, so the oldest call is usually the first to expire.
struct PendingCalls: Sendable {
  private var calls: [EngineCallID: PendingCall] = [:]
  /// Every id in `calls` except those in `limited`, and some ids of removed calls.
  private var order: [EngineCallID] = []
  /// All ids before this index in `order` belong to removed calls.
  private var head = 0
  /// The ids of calls with their own time limit.
  private var limited: [EngineCallID] = []
  private(set) var byteCount = 0

  var count: Int { calls.count }

  /// Returns the call with an id.
  subscript(id: EngineCallID) -> PendingCall? { calls[id] }

  /// The call that expires first.
  var soonest: PendingCall? {
    mutating get {
      let candidates = [oldest].compactMap(\.self) + limited.compactMap { calls[$0] }
      return candidates.min { $0.deadline < $1.deadline }
    }
  }

  /// The oldest call with the default time limit.
  private var oldest: PendingCall? {
    mutating get {
      while head < order.count {
        if let call = calls[order[head]] { return call }
        head += 1
      }
      return nil
    }
  }

  /// The ids of all calls, oldest first.
  var ids: [EngineCallID] {
    let usual = order[head...].filter { calls[$0] != nil }
    return limited.isEmpty ? usual : (usual + limited).sorted()
  }

  mutating func append(_ call: PendingCall) {
    calls[call.id] = call
    if call.call.timeout != nil { limited.append(call.id) } else { order.append(call.id) }
    byteCount += call.byteCount
  }

  /// Returns whether entering the channel was requested before this call.
  func hasEntering(of url: String, before id: EngineCallID) -> Bool {
    for earlier in order[head...] {
      if earlier == id { return false }
      if calls[earlier]?.call.channel == .enter(url) { return true }
    }
    return false
  }

  /// Removes a call that was answered or cancelled.
  mutating func remove(_ id: EngineCallID) -> PendingCall? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    byteCount -= call.byteCount
    if call.call.timeout != nil { limited.removeAll { $0 == id } }
    if order.count > 2 * calls.count + 64 { dropStale() }
    return call
  }

  /// Records that a call was written.
  mutating func markSent(_ id: EngineCallID, at now: Int64) {
    calls[id]?.phase = .sent
    if calls[id]?.firstSent == nil { calls[id]?.firstSent = now }
  }

  /// Marks a call to be written again after the connection was lost.
  mutating func markWaiting(_ id: EngineCallID) {
    calls[id]?.phase = .waiting
  }

  /// Returns the call that sent this message, if it was written at least once.
  func sent(_ send: PendingCall.Send) -> EngineCallID? {
    calls.values.first { $0.purpose == .send(send) && $0.firstSent != nil }?.id
  }

  private mutating func dropStale() {
    order.removeAll { calls[$0] == nil }
    head = 0
  }
}
