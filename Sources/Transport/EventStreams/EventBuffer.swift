/// The numbered events of a stream that its client may still ask for.
///
///     confirmed │ taken by the reader │ waiting │
///               first                           last
///
/// Events are numbered from 1. Confirmed events are freed. Taken events are kept until they are
/// confirmed, the latest ``keptByteCount`` bytes of them; waiting ones are always kept. The text of an
/// event is shared with other streams; only its number belongs to the stream.
package struct EventBuffer {
  /// The bytes above which the oldest taken events are dropped.
  package static let keptByteCount = 262_144

  /// The result of continuing after an event.
  package enum Resumption: Equatable {
    case resumed
    /// Later events were dropped: the client cannot continue without a gap.
    case gone
    /// There is no such event: `last` is the number of the latest.
    case ahead(last: UInt64)
  }

  /// The place of an event in its batch.
  private struct Event {
    let batch: EventBatch
    let start: UInt32
    let byteCount: UInt32

    /// The part of the memory that the stream accounts for.
    var memory: Int { MemoryLayout<Event>.stride + Int(byteCount) / batch.sharers }
  }

  /// The kept events, from `head` on.
  private var events: [Event] = []
  private var head = 0
  private var takenCount = 0
  private var takenByteCount = 0
  /// The bytes of the kept events as they are sent.
  package private(set) var byteCount = 0
  /// The memory of the kept events, in bytes.
  package private(set) var memory = 0
  /// The number of the latest event; 0 before the first.
  package private(set) var last: UInt64 = 0

  package init() {}

  /// The bytes of the kept events that the reader has not taken.
  package var waitingByteCount: Int { byteCount - takenByteCount }
  /// Whether events wait for a reader.
  package var hasWaiting: Bool { takenCount < count }

  private var count: Int { events.count - head }
  private var firstKept: UInt64 { last - UInt64(count) + 1 }

  /// Appends the events of a batch.
  mutating func append(_ batch: EventBatch) {
    EventFrames.forEach(in: batch.frames) { start, length in
      last += 1
      let event = Event(batch: batch, start: UInt32(start), byteCount: UInt32(length))
      events.append(event)
      byteCount += Self.sentByteCount(of: event, last)
      memory += event.memory
    }
    dropOldest()
  }

  /// Appends the next waiting events to `bytes`, whole ones of up to `limit` bytes, and at least one.
  ///
  /// - Returns: `false` when none is waiting.
  @discardableResult
  package mutating func take(upTo limit: Int = .max, into bytes: inout [UInt8]) -> Bool {
    guard hasWaiting else { return false }
    var rest = limit
    var number = firstKept + UInt64(takenCount)
    repeat {
      let event = events[head + takenCount]
      let sent = Self.sentByteCount(of: event, number)
      guard sent <= rest || rest == limit else { break }
      Self.append(event, number, to: &bytes)
      rest -= sent
      takenCount += 1
      takenByteCount += sent
      number += 1
    } while hasWaiting
    dropOldest()
    return true
  }

  /// Confirms the events up to a number, and lets a new reader take the later ones.
  ///
  /// - Parameter number: The last event that the client has received; 0 for none.
  package mutating func resume(after number: UInt64) -> Resumption {
    guard number <= last else { return .ahead(last: last) }
    guard number + 1 >= firstKept else { return .gone }
    (takenByteCount, takenCount) = (0, 0)
    while firstKept <= number { dropFirst() }
    freeIfEmpty()
    return .resumed
  }

  /// Confirms taken events up to a number.
  package mutating func confirm(upTo number: UInt64) -> Resumption {
    guard number <= last else { return .ahead(last: last) }
    while takenCount > 0, firstKept <= number { dropFirstTaken() }
    freeIfEmpty()
    return .resumed
  }

  /// Drops all events, so that the client cannot continue without a gap.
  package mutating func removeAll() {
    (events, head, takenCount, takenByteCount, byteCount, memory) = ([], 0, 0, 0, 0, 0)
  }

  private mutating func dropOldest() {
    while byteCount > Self.keptByteCount, takenCount > 0 { dropFirstTaken() }
  }

  private mutating func dropFirstTaken() {
    takenByteCount -= Self.sentByteCount(of: events[head], firstKept)
    takenCount -= 1
    dropFirst()
  }

  private mutating func dropFirst() {
    let event = events[head]
    byteCount -= Self.sentByteCount(of: event, firstKept)
    memory -= event.memory
    head += 1
    guard head >= 64, head * 2 >= events.count else { return }
    events.removeFirst(head)
    head = 0
  }

  /// A stream without unconfirmed events holds no memory for them.
  private mutating func freeIfEmpty() {
    if count == 0 { removeAll() }
  }

  // MARK: The form on the way

  private static let idPrefix = Array("id: ".utf8)

  /// `id: 12\n`, and the fields.
  private static func sentByteCount(of event: Event, _ number: UInt64) -> Int {
    var (digits, bound) = (1, UInt64(10))
    while number >= bound, digits < 19 {
      digits += 1
      bound &*= 10
    }
    return idPrefix.count + digits + 1 + Int(event.byteCount)
  }

  private static func append(_ event: Event, _ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: idPrefix)
    withUnsafeTemporaryAllocation(byteCount: 21, alignment: 1) { line in
      var start = line.count - 1
      line[start] = UInt8(ascii: "\n")
      var rest = number
      repeat {
        start -= 1
        line[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: line[start...])
    }
    event.batch.frames.withUnsafeBytes {
      bytes.append(contentsOf: $0[Int(event.start)..<Int(event.start + event.byteCount)])
    }
  }
}
