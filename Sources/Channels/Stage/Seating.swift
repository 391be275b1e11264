import ParleyProtocol

/// The connections of a group's members, which need not enter.
///
/// The host finds them when the group is loaded and when a user joins. Until it has answered, the stage
/// holds events and answers, so that a member's connection misses none:
///
///     load, join ── seek ──► host ── seats ──► stage ── held events ──► connections
struct Seating: Sendable {
  /// The searches that are not answered.
  private var searchCount = 0
  private var held: [StageInput] = []
  /// The user who has joined and is searched, with the event about that.
  private var admission: (userID: String, event: [UInt8])?

  /// Whether events and answers are held.
  var isWaiting: Bool { searchCount > 0 }

  /// Whether nothing waits.
  var isEmpty: Bool { searchCount == 0 && held.isEmpty }

  mutating func begin() { searchCount += 1 }

  /// Begins the search of a user who has joined.
  mutating func begin(admitting userID: String, with event: [UInt8]) {
    admission = (userID, event)
    begin()
  }

  mutating func end() {
    searchCount -= 1
    if !isWaiting { admission = nil }
  }

  /// The event that admits a user, which its connections have missed; `nil` for another user.
  func admission(of userID: String) -> [UInt8]? {
    admission.flatMap { $0.userID == userID ? $0.event : nil }
  }

  /// Holds an input while searches are not answered.
  ///
  /// - Returns: Whether the input is held.
  mutating func hold(_ input: StageInput) -> Bool {
    guard isWaiting else { return false }
    switch input {
    // A connection that opens gets no event from before, since its user may have joined after it.
    case .apply, .record, .answer, .answerInOrder, .notice, .notify, .notifyMembers, .memberCount,
      .observe,
      .throttle, .seat, .strangers:
      held.append(input)
      return true
    case .enter, .recover, .refuse, .recovered, .leave, .unobserve, .elsewhere, .resume, .abandon,
      .seek,
      .seats, .disperse, .deadline, .endOfTurn:
      return false
    }
  }

  /// Removes and returns the held inputs.
  mutating func takeHeld() -> [StageInput] {
    defer { held = [] }
    return held
  }

  /// Holds inputs again that follow a new search.
  mutating func holdFirst(_ inputs: ArraySlice<StageInput>) { held = inputs + held }
}

/// A connection of a joined member of a group.
package struct Seat: Sendable, Hashable {
  package let userID: String
  package let session: SessionAddress

  package init(userID: String, session: SessionAddress) {
    self.userID = userID
    self.session = session
  }
}
