import FloodControl
import ParleyProtocol

@testable import Channels

/// The rules of a stage, written down as plainly as possible: names, lists and sets, looked through
/// from end to end, one millisecond after the other.
struct StageModel {
  struct Member {
    let user: String
    var sessions: [SessionAddress]
    /// The last event before those that it was shown.
    var since: Int64
    /// The times of the messages that it was shown.
    var shown: [Int64] = []
    /// The messages withheld since its last notice.
    var missed: [Int64] = []
  }

  struct Update {
    let message: Int64
    /// The time of its last published update.
    let publishedAt: Int64
    var held: (text: String, author: SessionAddress?, timestamp: Int64)?
  }

  struct Presence {
    var isPresent: Bool
    var publishedAt: Int64
    /// The connection of the last change that was held back.
    var held: SessionAddress??
  }

  struct Recovery {
    let user: String
    let session: SessionAddress
    let position: Int64
    var known: [DurableEvent] = []
    var seq: Int64
    var readsLeft = 3
  }

  var limit: RateLimit
  var operators: Set<String>
  private(set) var now: Int64 = 0
  private(set) var lastSeq: Int64 = 0
  private(set) var members: [Member] = []
  private var hidden: [Int64: Set<String>] = [:]
  private var queue: [(text: String, author: SessionAddress?, hidden: Set<String>)] = []
  private var answers: [SessionAddress] = []
  private var sent: [SessionAddress: [String]] = [:]
  private var updates: [Update] = []
  private var presences: [String: Presence] = [:]
  private var announcedCount = 0
  private var announcedAt: Int64 = -1_000_000
  private var countDue: Int64?
  private var firstWithheld: Int64?
  private var lastNotice: Int64?
  private var recoveries: [Recovery] = []

  init(limit: RateLimit, operators: Set<String>) {
    self.limit = limit
    self.operators = operators
  }

  private var unix: Int64 { now + StageRig.epochOffset }

  mutating func takeAll() -> [SessionAddress: [String]] {
    defer { sent = [:] }
    return sent
  }

  // MARK: Events

  mutating func send(_ id: Int64, by author: String?, from session: SessionAddress?) {
    reach(unix)
    for index in members.indices where !isShown(id, by: author, at: unix, to: &members[index]) {
      hidden[id, default: []].insert(members[index].user)
      if firstWithheld == nil { firstWithheld = now }
    }
    queue.append(("m\(id)", session, hidden[id] ?? []))
  }

  private func isShown(
    _ id: Int64, by author: String?, at time: Int64, to member: inout Member
  ) -> Bool {
    guard let author, !limit.isOff else { return true }
    let recent = member.shown.filter { time - limit.windowMilliseconds < $0 && $0 <= time }
    let isFree = member.user == author || operators.contains(member.user)
    guard isFree || recent.count < limit.count else {
      member.missed.append(id)
      return false
    }
    member.shown.append(time)
    return true
  }

  mutating func update(_ id: Int64, author: SessionAddress?, age: Int64) {
    reach(unix - age)
    let text = "u\(id)@\(lastSeq)"
    if let index = updates.firstIndex(where: { $0.message == id }),
      now < updates[index].publishedAt + 200
    {
      updates[index].held = (text, author, unix - age)
    } else {
      publishUpdate(of: id, text, author)
    }
  }

  private mutating func publishUpdate(
    of id: Int64, _ text: String, _ author: SessionAddress?
  ) {
    updates.removeAll { $0.message == id }
    updates.append(Update(message: id, publishedAt: now))
    queue.append((text, author, hidden[id] ?? []))
  }

  mutating func delete(_ id: Int64) {
    for index in updates.indices where updates[index].message == id { updates[index].held = nil }
    reach(unix)
    hidden[id] = nil
    queue.append(("d\(id)", nil, []))
  }

  mutating func announce(_ text: String) {
    reach(unix)
    queue.append((text, nil, []))
  }

  mutating func setOperators(_ operators: Set<String>, _ text: String) {
    self.operators = operators
    announce(text)
  }

  mutating func ban(_ user: String, _ text: String) {
    announce(text)
    flush()
    answers += recoveries.filter { $0.user == user }.map(\.session)
    recoveries.removeAll { $0.user == user }
    guard let index = members.firstIndex(where: { $0.user == user }) else { return }
    let member = members.remove(at: index)
    for session in member.sessions { sent[session, default: []].append("put out") }
    notePresence(of: user, nil, isPresent: false)
  }

  /// The next event in the count; it overtakes no update that is older by a second.
  private mutating func reach(_ timestamp: Int64) {
    lastSeq += 1
    for update in updates.sorted(by: { $0.message < $1.message }) {
      guard let held = update.held, timestamp >= held.timestamp + 1_000 else { continue }
      publishUpdate(of: update.message, held.text, held.author)
    }
  }

  // MARK: Connections

  mutating func enter(_ session: SessionAddress, _ user: String, recover position: Int64?) {
    guard let position, isRecoverable(position) else {
      return seat(session, user, missed: nil, after: lastSeq)
    }
    recoveries.append(
      Recovery(user: user, session: session, position: position, seq: position))
  }

  private func isRecoverable(_ position: Int64) -> Bool {
    (0...lastSeq).contains(position) && lastSeq - position <= 300
  }

  /// Takes the answer to a read for a connection, unless its user has been banned meanwhile.
  mutating func answerRead(of session: SessionAddress, _ events: [DurableEvent]) {
    guard let index = recoveries.firstIndex(where: { $0.session == session }) else { return }
    var recovery = recoveries.remove(at: index)
    guard isRecoverable(recovery.position) else {
      return seat(recovery.session, recovery.user, missed: nil, after: lastSeq)
    }
    let known = events.filter { $0.seq <= lastSeq }
    recovery.known += known
    recovery.seq = max(recovery.seq, known.map(\.seq).max() ?? 0)
    guard recovery.seq < lastSeq, recovery.readsLeft > 0 else {
      return seat(
        recovery.session, recovery.user, missed: recovery.known, after: recovery.position)
    }
    recovery.readsLeft -= 1
    recoveries.append(recovery)
  }

  /// Takes a read that failed: the connection stays out.
  mutating func failRead(of session: SessionAddress) {
    guard recoveries.contains(where: { $0.session == session }) else { return }
    recoveries.removeAll { $0.session == session }
    answers.append(session)
  }

  private mutating func seat(
    _ session: SessionAddress, _ user: String, missed events: [DurableEvent]?,
    after position: Int64
  ) {
    flush()
    var visitor = Member(user: user, sessions: [session], since: position)
    let member = members.first { $0.user == user }
    let recovered = events.map { recover($0, &visitor, beside: member) }
    let isNew = member == nil
    if isNew {
      for id in hidden.keys { hidden[id]?.remove(user) }
      members.append(visitor)
    } else {
      for index in members.indices where members[index].user == user {
        if !members[index].sessions.contains(session) { members[index].sessions.append(session) }
        members[index].since = min(members[index].since, position)
      }
    }
    for id in recovered?.hidden ?? [] { hidden[id, default: []].insert(user) }
    let texts = recovered.map { " \($0.texts)" } ?? ""
    sent[session, default: []].append("in \(members.count)@\(lastSeq)" + texts)
    if isNew { notePresence(of: user, session, isPresent: true) }
  }

  /// The missed events as the visitor would have been shown them.
  ///
  /// - Parameter member: The user's other connections.
  private func recover(
    _ events: [DurableEvent], _ visitor: inout Member, beside member: Member?
  ) -> (texts: [String], hidden: [Int64]) {
    var texts: [String] = []
    var hidden: [Int64] = []
    var admitted: [Shown] = []
    let deleted = events.compactMap {
      if case .deleted(let deletion, _, _) = $0 { deletion.messageID } else { nil }
    }
    for event in events {
      switch event {
      case .received(let message, let seq):
        guard !deleted.contains(message.id) else { continue }
        let isShown: Bool
        if let member, let fate = fate(of: message, seq, of: events, admitted, beside: member) {
          isShown = fate
          if !fate {
            visitor.missed.append(message.id)
          } else if message.user != nil, !limit.isOff {
            visitor.shown.append(message.createdAt)
          }
        } else {
          isShown = self.isShown(
            message.id, by: message.user?.id, at: message.createdAt, to: &visitor)
          if isShown, let author = message.user?.id, !isFree(author, viewer: visitor.user) {
            admitted.append(Shown(seq: seq, time: message.createdAt))
          }
        }
        if isShown { texts.append("m\(message.id)") } else { hidden.append(message.id) }
      case .updated(let message, let seq, _):
        let isLast = !events.contains {
          if case .updated(message, let later, _) = $0 { later > seq } else { false }
        }
        let isHeld = updates.contains { $0.message == message.id && $0.held != nil }
        let isThere = !deleted.contains(message.id) && !hidden.contains(message.id)
        if isLast, !isHeld, isThere { texts.append("u\(message.id)@\(seq)") }
      case .deleted(let deletion, _, _): texts.append("d\(deletion.messageID)")
      case .channel(let event): texts.append(event.name.rawValue)
      }
    }
    if let notice = Self.notice(visitor.missed) { texts.append(notice) }
    visitor.missed = []
    return (texts, hidden)
  }

  /// Whether a user is shown an author's messages whatever the window holds.
  private func isFree(_ author: String, viewer: String) -> Bool {
    author == viewer || operators.contains(viewer)
  }

  private struct Shown {
    let seq: Int64
    let time: Int64
    var needsRoom = false
  }

  /// Whether a message was shown to a user's other connections, or may not be shown beside what they
  /// were; `nil` when that is left to the throttle.
  ///
  /// - Parameter admitted: The earlier messages that the throttle has decided to show.
  private func fate(
    of message: Message, _ seq: Int64, of events: [DurableEvent], _ admitted: [Shown],
    beside member: Member
  ) -> Bool? {
    let isHidden = { (id: Int64) in self.hidden[id]?.contains(member.user) == true }
    guard !isHidden(message.id) else { return false }
    guard seq <= member.since else { return true }
    guard !limit.isOff, let author = message.user?.id, !isFree(author, viewer: member.user) else {
      return nil
    }
    var shown = admitted
    for case .received(let other, let seq) in events {
      let isDeleted = events.contains {
        if case .deleted(let deletion, _, _) = $0 { deletion.messageID == other.id } else { false }
      }
      guard let author = other.user?.id, !isDeleted, !isHidden(other.id) else { continue }
      let isFree = isFree(author, viewer: member.user)
      if isFree || seq > member.since {
        shown.append(Shown(seq: seq, time: other.createdAt, needsRoom: !isFree))
      }
    }
    for later in shown where later.needsRoom && later.seq > seq {
      guard message.createdAt > later.time - limit.windowMilliseconds else { continue }
      let used = shown.count {
        $0.seq < later.seq && $0.time > later.time - limit.windowMilliseconds
      }
      if used + 1 >= limit.count { return false }
    }
    return nil
  }

  mutating func leave(_ session: SessionAddress, _ user: String) {
    guard let index = members.firstIndex(where: { $0.user == user }),
      members[index].sessions.contains(session)
    else { return }
    members[index].sessions.removeAll { $0 == session }
    guard members[index].sessions.isEmpty else { return }
    members.remove(at: index)
    notePresence(of: user, nil, isPresent: false)
  }

  mutating func answer(_ session: SessionAddress) { answers.append(session) }

  // MARK: Presence

  private mutating func notePresence(
    of user: String, _ session: SessionAddress?, isPresent: Bool
  ) {
    guard members.count <= 100 else { return scheduleCount() }
    if let presence = presences[user], now < presence.publishedAt + 1_000 {
      presences[user]?.held = .some(session)
    } else {
      publishPresence(of: user, session, isPresent: isPresent)
    }
  }

  private mutating func publishPresence(
    of user: String, _ session: SessionAddress?, isPresent: Bool
  ) {
    presences[user] = Presence(isPresent: isPresent, publishedAt: now)
    announcedCount = members.count
    queue.append(("\(isPresent ? "+" : "-")\(user) \(members.count)", session, []))
  }

  private mutating func scheduleCount() {
    if countDue == nil { countDue = max(announcedAt + 1_000, now) }
  }

  // MARK: Time

  /// Ends the turn and lets time pass.
  mutating func wait(_ milliseconds: Int64) {
    flush()
    let end = now + milliseconds
    while true {
      while publishDue() { flush() }
      guard now < end else { return }
      now += 1
    }
  }

  /// Publishes all that waits for this millisecond.
  ///
  /// - Returns: Whether anything did.
  private mutating func publishDue() -> Bool {
    let parts = [notifyWithheld(), announceCount(), publishHeldPresence(), publishHeldUpdates()]
    return parts.contains(true)
  }

  private mutating func notifyWithheld() -> Bool {
    guard let firstWithheld, now >= firstWithheld + 800,
      lastNotice.map({ now >= $0 + 1_000 }) ?? true
    else { return false }
    for index in members.indices {
      guard let notice = Self.notice(members[index].missed) else { continue }
      for session in members[index].sessions { sent[session, default: []].append(notice) }
      members[index].missed = []
    }
    self.firstWithheld = nil
    lastNotice = now
    return true
  }

  private static func notice(_ missed: [Int64]) -> String? {
    guard let first = missed.first, let last = missed.last else { return nil }
    return "throttled \(missed.count): \(first)-\(last)"
  }

  private mutating func announceCount() -> Bool {
    guard let due = countDue, now >= due else { return false }
    countDue = nil
    if members.count != announcedCount {
      announcedCount = members.count
      announcedAt = now
      queue.append(("=\(members.count)", nil, []))
    }
    return true
  }

  private mutating func publishHeldPresence() -> Bool {
    let due = presences.filter { $0.value.held != nil && now >= $0.value.publishedAt + 1_000 }
    let order = due.sorted { ($0.value.publishedAt, $0.key) < ($1.value.publishedAt, $1.key) }
    for (user, presence) in order {
      let isPresent = members.contains { $0.user == user }
      presences[user] = nil
      guard isPresent != presence.isPresent else { continue }
      if members.count <= 100 {
        publishPresence(of: user, presence.held ?? nil, isPresent: isPresent)
      } else {
        presences[user] = Presence(isPresent: isPresent, publishedAt: now)
        scheduleCount()
      }
    }
    return !due.isEmpty
  }

  private mutating func publishHeldUpdates() -> Bool {
    let due = updates.filter { now >= $0.publishedAt + 200 }
    updates.removeAll { now >= $0.publishedAt + 200 }
    for update in due {
      if let held = update.held { publishUpdate(of: update.message, held.text, held.author) }
    }
    return due.contains { $0.held != nil }
  }

  /// Sends the turn's events, and then its answers.
  mutating func flush() {
    for (text, author, hidden) in queue {
      for member in members where !hidden.contains(member.user) {
        for session in member.sessions where session != author {
          sent[session, default: []].append(text)
        }
      }
    }
    queue = []
    for session in answers { sent[session, default: []].append("reply") }
    answers = []
  }
}
