/// Limits the `message.updated` events of each message: at most five a second, and the newest state
/// wins.
///
/// The first update of a message is published at once; further ones within 200 ms are held back,
/// and the newest of them is published after the 200 ms.
///
///     updates     1   2 3        4
///     published   1        3        4
///                 |--------|--------|   200 ms each
///
/// No event of a channel overtakes a held-back update by more than ``reach``: see
/// ``takeOvertaken(by:at:)``. A client that recovers from an event of time `t` has therefore seen
/// every update with a timestamp of `t − reach` or less. Pure: `now` is milliseconds of one clock,
/// `timestamp` those of the events.
struct UpdatePacer<Update: Sendable>: Sendable {
  /// Milliseconds between two published updates of one message.
  static var interval: Int64 { 200 }
  /// The most by which the timestamp of a published event exceeds that of a held-back update.
  static var reach: Int64 { 1_000 }
  /// The default maximum number of updates that are held back; further ones are published at once.
  static var defaultCapacity: Int { 1_024 }

  private struct Entry: Sendable {
    /// The end of the pause after the last published update.
    var due: Int64
    var held: (update: Update, timestamp: Int64)?
  }

  private let capacity: Int
  private var entries: [Int64: Entry] = [:]
  /// The ends of pauses, earliest first, starting at `head`; one that its entry contradicts is void.
  private var pauses: [(messageID: Int64, due: Int64)] = []
  private var head = 0
  private var heldCount = 0

  init(capacity: Int = Self.defaultCapacity) {
    self.capacity = max(1, capacity)
  }

  /// Whether no update is held back.
  var isIdle: Bool { heldCount == 0 }

  /// The messages in their pause.
  var messageCount: Int { entries.count }

  /// The time of the next ``take(at:)``; `nil` if nothing is held back.
  var due: Int64? { heldCount > 0 && head < pauses.count ? pauses[head].due : nil }

  /// Whether an update of a message is held back.
  func holds(_ messageID: Int64) -> Bool { entries[messageID]?.held != nil }

  /// Adds an update.
  ///
  /// - Returns: The update if it should be published now, `nil` if it is held back.
  mutating func offer(
    _ update: Update, of messageID: Int64, timestamp: Int64, at now: Int64
  ) -> Update? {
    forgetIdle(at: now)
    guard let entry = entries[messageID], entry.held != nil || now < entry.due else {
      pause(messageID, at: now)
      return update
    }
    if entry.held == nil {
      guard heldCount < capacity else { return update }
      heldCount += 1
    }
    entries[messageID]?.held = (update, timestamp)
    return nil
  }

  /// Returns the updates whose pause is over.
  mutating func take(at now: Int64) -> [Update] {
    var taken: [Update] = []
    while head < pauses.count, pauses[head].due <= now {
      let pause = pauses[head]
      advance()
      guard let entry = entries[pause.messageID], entry.due == pause.due else { continue }
      if let held = entry.held {
        taken.append(release(held.update, of: pause.messageID, at: now))
      } else {
        entries[pause.messageID] = nil
      }
    }
    return taken
  }

  /// Returns the updates that an event may not overtake, regardless of their pause: those whose
  /// timestamp is at least ``reach`` earlier.
  ///
  /// This happens only if the store was slow.
  mutating func takeOvertaken(by timestamp: Int64, at now: Int64) -> [Update] {
    guard heldCount > 0 else { return [] }
    let overtaken = entries.filter { _, entry in
      entry.held.map { timestamp >= $0.timestamp.addingClamped(Self.reach) } ?? false
    }
    return overtaken.keys.sorted().compactMap { id in
      overtaken[id]?.held.map { release($0.update, of: id, at: now) }
    }
  }

  /// Drops the held-back update of a deleted message.
  mutating func forget(_ messageID: Int64) {
    guard entries[messageID]?.held != nil else { return }
    entries[messageID]?.held = nil
    heldCount -= 1
  }

  private mutating func release(_ update: Update, of messageID: Int64, at now: Int64) -> Update {
    heldCount -= 1
    pause(messageID, at: now)
    return update
  }

  private mutating func pause(_ messageID: Int64, at now: Int64) {
    let due = now.addingClamped(Self.interval)
    entries[messageID] = Entry(due: due, held: nil)
    pauses.append((messageID, due))
  }

  /// Drops pauses that are over and have no update waiting, from the front.
  private mutating func forgetIdle(at now: Int64) {
    while head < pauses.count, pauses[head].due <= now {
      let pause = pauses[head]
      let entry = entries[pause.messageID]
      if entry?.due == pause.due {
        guard entry?.held == nil else { return }
        entries[pause.messageID] = nil
      }
      advance()
    }
  }

  private mutating func advance() {
    head += 1
    guard head * 2 >= pauses.count, head >= 32 || head == pauses.count else { return }
    pauses.removeFirst(head)
    head = 0
  }
}

extension Int64 {
  /// The sum, or the largest number on overflow.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? (other > 0 ? .max : .min) : sum
  }
}
