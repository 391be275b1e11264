/// The number of messages in a group that the current user has not read, or of those that mention the
/// user, counted by their ordinals.
///
/// An answer sets the number. Each later message is kept by its ordinal, so that a message that
/// arrives twice counts once, and a moved position leaves the messages after it.
struct UnreadCount: Sendable, Hashable {
  /// The last message that is known; 0 if there is none.
  private(set) var lastOrdinal: Int64
  /// The last message that the user has read; 0 if there is none.
  private(set) var readOrdinal: Int64
  /// The number of unread messages up to ``settledOrdinal``.
  private var settled: Int64
  /// The last message that the server has counted, or that the user has read.
  private var settledOrdinal: Int64
  /// The unread messages after it, ascending.
  private var later: [Int64] = []

  init(lastOrdinal: Int64 = 0, readOrdinal: Int64 = 0, count: Int64 = 0) {
    self.lastOrdinal = lastOrdinal
    self.readOrdinal = readOrdinal
    settled = count
    settledOrdinal = max(lastOrdinal, readOrdinal)
  }

  var count: Int { Int(clamping: settled) + later.count }

  /// Counts a message of another user; 0 is the ordinal of a silent message.
  mutating func receive(_ ordinal: Int64) {
    guard ordinal > lastOrdinal else { return }
    lastOrdinal = ordinal
    if ordinal > readOrdinal { later.append(ordinal) }
  }

  /// Notes a message that does not count.
  mutating func skip(_ ordinal: Int64) { lastOrdinal = max(lastOrdinal, ordinal) }

  /// Counts a message that only counts since a change of it.
  mutating func add(_ ordinal: Int64) {
    guard ordinal > readOrdinal, ordinal <= lastOrdinal else { return }
    if ordinal <= settledOrdinal {
      settled += 1
    } else if !later.contains(ordinal) {
      later.insert(ordinal, at: later.firstIndex { $0 > ordinal } ?? later.endIndex)
    }
  }

  /// Reads up to a message of the user, which the answer or an event has.
  ///
  /// The answer may arrive after the events of later messages.
  mutating func receiveOwn(_ ordinal: Int64) {
    guard ordinal > settledOrdinal else { return }
    lastOrdinal = max(lastOrdinal, ordinal)
    read(upTo: ordinal)
  }

  /// Removes a message of another user that was deleted, or no longer counts.
  mutating func remove(_ ordinal: Int64) {
    if ordinal > settledOrdinal {
      later.removeAll { $0 == ordinal }
    } else if ordinal > readOrdinal {
      settled = max(0, settled - 1)
    }
  }

  /// Whether a deleted message may have preceded the user's history, so that it did not count.
  func isUncertain(_ ordinal: Int64) -> Bool {
    ordinal > readOrdinal && ordinal <= settledOrdinal && settled < settledOrdinal - readOrdinal
  }

  /// Moves the position.
  ///
  /// - Parameters:
  ///   - count: The server's number, which applies if the position is before messages that the client
  ///     did not count itself.
  ///   - last: The last message of the group when the server counted.
  mutating func move(to ordinal: Int64, count: Int64, last: Int64) {
    if ordinal >= settledOrdinal, last <= lastOrdinal || ordinal >= last {
      lastOrdinal = max(lastOrdinal, last)
      read(upTo: ordinal)
    } else {
      restart(at: ordinal, count: count, last: last)
    }
  }

  /// Sets the number after a change of the messages that count.
  ///
  /// Messages that arrived after the server counted are added.
  mutating func restart(at ordinal: Int64, count: Int64, last: Int64) {
    let (knownOrdinal, newer) = (lastOrdinal, later.filter { $0 > last })
    self = UnreadCount(lastOrdinal: last, readOrdinal: ordinal, count: count)
    later = newer
    lastOrdinal = max(lastOrdinal, knownOrdinal)
  }

  private mutating func read(upTo ordinal: Int64) {
    later.removeAll { $0 <= ordinal }
    (settled, settledOrdinal, readOrdinal) = (0, ordinal, ordinal)
  }
}
