/// A call that is not answered yet.
struct PendingCall: Sendable {
  /// How far it has come.
  enum Phase: Sendable, Hashable {
    /// Not written on the present connection.
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
    /// Goes on with another token.
    case refresh(accessToken: String)
  }

  let id: EngineCallID
  let call: EngineCall
  /// Milliseconds, on the machine's clock.
  let deadline: Int64
  let purpose: Purpose
  var phase = Phase.waiting
  /// When it was first written, on whichever connection.
  var firstSent: Int64?

  /// The bytes that a waiting call takes: its text and the request around it.
  var byteCount: Int { call.params.count + call.method.utf8.count + 64 }
}

/// The calls that are not answered yet, in the order in which they were made.
///
/// All but a few have the same time limit, so the oldest is also the first to run out.
struct PendingCalls: Sendable {
  private var calls: [EngineCallID: PendingCall] = [:]
  /// Every id in `calls` but those in `limited`, and some that are gone.
  private var order: [EngineCallID] = []
  /// All before it in `order` are gone.
  private var head = 0
  /// The ids of calls with a time limit of their own.
  private var limited: [EngineCallID] = []
  private(set) var byteCount = 0

  var count: Int { calls.count }

  /// The call of that id.
  subscript(id: EngineCallID) -> PendingCall? { calls[id] }

  /// The call whose time ends first.
  var soonest: PendingCall? {
    mutating get {
      let candidates = [oldest].compactMap(\.self) + limited.compactMap { calls[$0] }
      return candidates.min { $0.deadline < $1.deadline }
    }
  }

  /// The oldest call with the usual time limit.
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

  /// Whether an entering of the channel was asked for before this call.
  func hasEntering(of url: String, before id: EngineCallID) -> Bool {
    for earlier in order[head...] {
      if earlier == id { return false }
      if calls[earlier]?.call.channel == .enter(url) { return true }
    }
    return false
  }

  /// Takes a call out, because it is answered or given up.
  mutating func remove(_ id: EngineCallID) -> PendingCall? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    byteCount -= call.byteCount
    if call.call.timeout != nil { limited.removeAll { $0 == id } }
    if order.count > 2 * calls.count + 64 { dropStale() }
    return call
  }

  /// Takes note that a call was written.
  mutating func markSent(_ id: EngineCallID, at now: Int64) {
    calls[id]?.phase = .sent
    if calls[id]?.firstSent == nil { calls[id]?.firstSent = now }
  }

  /// The connection is gone: the call has to be written again.
  mutating func markWaiting(_ id: EngineCallID) {
    calls[id]?.phase = .waiting
  }

  /// The call that sent this message, if it has been written at least once.
  func sent(_ send: PendingCall.Send) -> EngineCallID? {
    calls.values.first { $0.purpose == .send(send) && $0.firstSent != nil }?.id
  }

  private mutating func dropStale() {
    order.removeAll { calls[$0] == nil }
    head = 0
  }
}
