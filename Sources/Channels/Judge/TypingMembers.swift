import ParleyProtocol

/// The members of a group who are writing a message, and what the others were sent about that.
///
/// A member is typing from a call until its opposite, at most 10 s after the last call. It is shown for
/// at least 2 s, so that many calls of a user cause few events. A message, or losing the right to send,
/// ends it at once. Pure: times are milliseconds of one clock.
struct TypingMembers: Sendable {
  static let holdTime: Int64 = 10_000
  static let leastTime: Int64 = 2_000
  /// The largest group in which typing is shown.
  static let largestGroup = 1_000

  private struct Entry: Sendable {
    let userID: String
    let start: Int64
    var end: Int64
  }

  /// In the order in which they began.
  private var entries: [Entry] = []
  /// The typing members at the time of the last notices.
  private var published: [String] = []
  private var pacer = NoticePacer()

  /// Whether no member is typing, and the others have been notified of that.
  var isIdle: Bool { entries.isEmpty && published.isEmpty }

  func contains(_ userID: String) -> Bool { entries.contains { $0.userID == userID } }

  /// The typing members, in the order in which they began.
  var userIDs: [String] { entries.map(\.userID) }

  // MARK: Changes

  mutating func start(_ userID: String, at now: Int64) {
    let end = now + Self.holdTime
    if let index = entries.firstIndex(where: { $0.userID == userID }) {
      entries[index].end = end
    } else {
      entries.append(Entry(userID: userID, start: now, end: end))
    }
  }

  mutating func stop(_ userID: String, at now: Int64) {
    guard let index = entries.firstIndex(where: { $0.userID == userID }) else { return }
    entries[index].end = max(now, entries[index].start + Self.leastTime)
  }

  /// Ends the typing of a member at once.
  mutating func end(_ userID: String) {
    if !entries.isEmpty { entries.removeAll { $0.userID == userID } }
  }

  /// Ends the typing of all members but those for whom a condition holds.
  mutating func keep(where isKept: (String) -> Bool) {
    entries.removeAll { !isKept($0.userID) }
  }

  // MARK: Notices

  /// The time of the next ``takeNotices(at:limit:)``, which may have nothing to return; `nil` if no
  /// member is typing.
  var due: Int64? {
    [entries.map(\.end).min(), pacer.due].compactMap(\.self).min()
  }

  /// Returns the notices of what has changed since the last ones, at most once a second.
  ///
  /// - Parameter limit: The number of members that a notice names.
  mutating func takeNotices(at now: Int64, limit: Int) -> TypingNotices? {
    guard !isIdle else { return nil }
    entries.removeAll { $0.end <= now }
    guard !entries.lazy.map(\.userID).elementsEqual(published) else {
      pacer.forgetChanges()
      return nil
    }
    pacer.noteChange(at: now)
    guard let due = pacer.due, due <= now else { return nil }
    let notices = TypingNotices(from: published, to: userIDs, limit: limit)
    published = userIDs
    guard !notices.isEmpty else {
      pacer.forgetChanges()
      return nil
    }
    pacer.noteSent(at: now)
    return notices
  }
}

/// The notices for the members of a group when other members begin or end typing.
///
/// Most receive the same. A typing member receives the others, since it knows of itself.
struct TypingNotices: Sendable {
  typealias View = Event.Typing

  /// The notice for all but ``ownIDs``; `nil` if nothing has changed for them.
  private(set) var common: View?
  /// The members who do not receive the common notice.
  private(set) var ownIDs: [String] = []
  /// The notices of single members, in the order of their ids.
  private(set) var own: [(userID: String, view: View)] = []

  var isEmpty: Bool { common == nil && own.isEmpty }

  /// - Parameters:
  ///   - former: The members who were typing at the last notices.
  ///   - present: Those who are typing now.
  ///   - limit: The number of members that a notice names.
  init(from former: [String], to present: [String], limit: Int) {
    let view = View(present[...], limit: limit)
    if !view.isSame(as: View(former[...], limit: limit)) { common = view }
    // All others see the same members as those who are not typing.
    let candidates = Set(former.prefix(limit + 1) + present.prefix(limit + 1))
    for userID in candidates.sorted() {
      let seen = View(present.filter { $0 != userID }[...], limit: limit)
      let hasChanged = !seen.isSame(as: View(former.filter { $0 != userID }[...], limit: limit))
      if hasChanged, seen.isSame(as: view), common != nil { continue }
      ownIDs.append(userID)
      if hasChanged { own.append((userID, seen)) }
    }
  }
}

extension Event.Typing {
  fileprivate init(_ userIDs: ArraySlice<String>, limit: Int) {
    self.init(userIDs: Array(userIDs.prefix(limit)), hasMore: userIDs.count > limit)
  }

  /// Whether the same members are named, in any order.
  fileprivate func isSame(as other: Event.Typing) -> Bool {
    hasMore == other.hasMore && Set(userIDs) == Set(other.userIDs)
  }
}
