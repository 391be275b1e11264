import FloodControl
import ParleyProtocol

/// The throttle windows of users who are about to enter a stage and are on another one already.
///
/// Both stages have to show the user the same. So the new one asks the other for the user's window and
/// makes up for the messages between that window and its own last event.
struct EntryWindows: Sendable {
  /// A message as the throttle decides about it for one user.
  fileprivate struct Decision: Sendable {
    let seq: Int64
    let relation: Throttle.Relation
    let message: MessageFacts
    let limit: RateLimit
  }

  fileprivate enum State: Sendable {
    case asked(WindowQuestion, of: UInt16, since: [Decision])
    case known(seq: Int64, since: Int64, Throttle, withheldIDs: [Int64])
  }

  private struct Entry: Sendable {
    var state: State
    /// Whether the window is that of a user who was here, and is still here for the home.
    var isKept = false
    /// Those who wait until the stage has reached the window's event.
    var requests: [EnterRequest]
  }

  private var entries: [String: Entry] = [:]
  private var lastQuestion: UInt64 = 0
  /// The users here whose windows came from another stage, or went to these servers.
  private var shared: [String: Set<UInt16>] = [:]

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ userID: String) -> Bool { entries[userID] != nil }

  /// Those who wait, in no order.
  var requests: [EnterRequest] { entries.values.flatMap(\.requests) }

  /// Whether the window of a user was kept who is about to come back.
  func isKept(_ userID: String) -> Bool { entries[userID]?.isKept == true }

  /// The users whose windows were kept, in no order.
  var keptUserIDs: [String] { entries.compactMap { $0.value.isKept ? $0.key : nil } }

  /// Whether another server was asked for a user's window, and has not answered.
  func isAsked(_ userID: String) -> Bool {
    if case .asked? = entries[userID]?.state { true } else { false }
  }

  /// Begins to wait for a user's window.
  ///
  /// - Parameters:
  ///   - other: The server to ask.
  ///   - server: The server that asks.
  ///   - seq: The last event that was applied.
  /// - Returns: The question for the other server; `nil` when it was asked.
  mutating func begin(
    _ request: EnterRequest, on other: UInt16, from server: UInt16, after seq: Int64
  ) -> WindowQuestion? {
    let userID = request.principal.user.id
    guard entries[userID] == nil else {
      entries[userID]?.requests.append(request)
      return nil
    }
    lastQuestion += 1
    let question = WindowQuestion(
      number: lastQuestion, userID: userID, seq: seq, server: server)
    entries[userID] = Entry(state: .asked(question, of: other, since: []), requests: [request])
    return question
  }

  /// Has a connection wait with others of its user.
  ///
  /// - Returns: Whether there are any whose window is on the way.
  mutating func join(_ request: EnterRequest) -> Bool {
    let userID = request.principal.user.id
    guard entries[userID] != nil else { return false }
    entries[userID]?.requests.append(request)
    return true
  }

  /// Takes note of a message that the stage applies.
  ///
  /// - Parameter isOperator: Whether a user is shown everything.
  mutating func note(
    _ message: MessageFacts, seq: Int64, limit: RateLimit, isOperator: (String) -> Bool
  ) {
    for (userID, entry) in entries {
      let relation: Throttle.Relation =
        message.authorID == userID ? .own : isOperator(userID) ? .operatorView : .others
      let decision = Decision(seq: seq, relation: relation, message: message, limit: limit)
      entries[userID]?.state = entry.state.after(decision)
    }
  }

  /// Takes in a window; one that was asked for before the last question is of another stay.
  mutating func complete(_ question: WindowQuestion, _ window: UserWindow) {
    let userID = question.userID
    guard case .asked(question, _, let decisions)? = entries[userID]?.state else { return }
    entries[userID]?.state = decisions.reduce(State(window)) { $0.after($1) }
  }

  /// Keeps the window of a user who has left and is about to enter again.
  mutating func keep(_ window: UserWindow, of userID: String) {
    entries[userID] = Entry(
      state: State(window), isKept: true, requests: entries[userID]?.requests ?? [])
  }

  /// Withdraws a question that the other server can't answer, and hands over those who wait.
  mutating func fail(_ question: WindowQuestion) -> [EnterRequest] {
    let userID = question.userID
    guard case .asked(question, _, _)? = entries[userID]?.state else { return [] }
    return entries.removeValue(forKey: userID)?.requests ?? []
  }

  /// The questions that a server has not answered.
  func questions(to server: UInt16) -> [WindowQuestion] {
    entries.values.compactMap { entry in
      if case .asked(let question, server, _) = entry.state { question } else { nil }
    }
  }

  /// Hands over those whose window the stage has reached; the windows are kept until they are taken.
  mutating func takeReady(at seq: Int64) -> [EnterRequest] {
    var ready: [EnterRequest] = []
    // In an order that is the same in each run of a simulation.
    for userID in entries.keys.sorted() {
      guard let entry = entries[userID], case .known(let reached, _, _, _) = entry.state,
        reached <= seq
      else { continue }
      ready += entry.requests
      entries[userID]?.requests = []
    }
    return ready
  }

  /// Takes out the window of a user who is seated now.
  mutating func takeWindow(of userID: String) -> TakenWindow? {
    guard let entry = entries[userID], case .known(_, let seq, let throttle, let ids) = entry.state
    else { return nil }
    entries[userID] = nil
    shared[userID] = shared[userID] ?? []
    return TakenWindow(throttle: throttle, withheldIDs: ids, since: seq, wasKept: entry.isKept)
  }

  /// The window of a user who is seated.
  struct TakenWindow {
    let throttle: Throttle
    let withheldIDs: [Int64]
    /// The last event before those that the user was shown.
    let since: Int64
    /// Whether the user was here before, rather than on another server.
    let wasKept: Bool
  }

  /// Notes that a server is given the window of a user who is here.
  mutating func share(_ userID: String, with server: UInt16) {
    shared[userID, default: []].insert(server)
  }

  /// Whether another stage goes on from the window of a user who is here.
  func isShared(_ userID: String) -> Bool { shared[userID] != nil }

  /// Forgets that of a user who has left.
  ///
  /// - Returns: The servers that were given the window.
  mutating func endSharing(_ userID: String) -> [UInt16] {
    shared.removeValue(forKey: userID)?.sorted() ?? []
  }

  /// Forgets a user who does not enter, and hands over those who wait.
  mutating func remove(_ userID: String) -> [EnterRequest] {
    if isKept(userID) { shared[userID] = nil }
    return entries.removeValue(forKey: userID)?.requests ?? []
  }

  /// Forgets all users, and hands over those who wait.
  mutating func removeAll() -> [EnterRequest] {
    defer { (entries, shared) = ([:], [:]) }
    return entries.values.flatMap(\.requests)
  }
}

extension EntryWindows.State {
  fileprivate init(_ window: UserWindow) {
    self = .known(
      seq: window.seq, since: window.since, Throttle(shownTimes: window.shownTimes),
      withheldIDs: window.withheldIDs)
  }

  /// The state after a message that the stage applies; one before the window is in it already.
  fileprivate func after(_ decision: EntryWindows.Decision) -> Self {
    switch self {
    case .asked(let question, let server, let since):
      return .asked(question, of: server, since: since + [decision])
    case .known(let seq, let start, var throttle, var withheldIDs):
      guard decision.seq > seq, !decision.limit.isOff, decision.message.authorID != nil else {
        return self
      }
      let fate = throttle.decide(
        decision.relation, createdAt: decision.message.createdAt, messageID: decision.message.id,
        limit: decision.limit)
      if fate == .withheld { withheldIDs.append(decision.message.id) }
      return .known(seq: seq, since: start, throttle, withheldIDs: withheldIDs)
    }
  }
}
