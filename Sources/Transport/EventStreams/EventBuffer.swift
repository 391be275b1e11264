import Basics

/// The numbered events of a stream that its client may still ask for, as Server-Sent Events.
///
///     confirmed │ taken by the reader │ waiting │
///               first                           last
///
/// Events are numbered from 1. Confirmed events are freed. Taken events are kept until they are
/// confirmed, the latest ``keptByteCount`` bytes of them; waiting ones are always kept.
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

  private var bytes = ByteQueue()
  /// The lengths of the kept events, from `head` on.
  private var lengths: [UInt32] = []
  private var head = 0
  private var takenCount = 0
  private var takenByteCount = 0
  /// The number of the latest event; 0 before the first.
  package private(set) var last: UInt64 = 0

  package init() {}

  /// The bytes of the kept events.
  package var byteCount: Int { bytes.count }
  /// The bytes of the kept events that the reader has not taken.
  package var waitingByteCount: Int { bytes.count - takenByteCount }
  /// Whether events wait for a reader.
  package var hasWaiting: Bool { waitingByteCount > 0 }

  private var count: Int { lengths.count - head }
  private var firstKept: UInt64 { last - UInt64(count) + 1 }

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - name: The event's name; `nil` for the default, `message`.
  ///   - fields: The `data` field with the empty line that ends an event.
  package mutating func append(named name: StaticString? = nil, _ fields: UnsafeRawBufferPointer) {
    last += 1
    let before = bytes.count
    withUnsafeTemporaryAllocation(byteCount: 25, alignment: 1) { line in
      var start = line.count - 1
      line[start] = UInt8(ascii: "\n")
      var rest = last
      repeat {
        start -= 1
        line[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      for byte in [UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "d"), UInt8(ascii: "i")] {
        start -= 1
        line[start] = byte
      }
      bytes.append(UnsafeRawBufferPointer(rebasing: line[start...]))
    }
    if let name {
      bytes.append(Array("event: \(name)\n".utf8))
    }
    bytes.append(fields)
    lengths.append(UInt32(clamping: bytes.count - before))
    dropOldest()
  }

  /// Passes the next waiting events to `body`, whole ones of up to `limit` bytes, and at least one.
  ///
  /// - Returns: `false` when none is waiting.
  @discardableResult
  package mutating func take(
    upTo limit: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard hasWaiting else { return false }
    var (end, taken) = (takenByteCount, takenCount)
    if waitingByteCount <= limit {
      (end, taken) = (bytes.count, count)
    } else {
      repeat {
        end += Int(lengths[head + taken])
        taken += 1
      } while taken < count && end - takenByteCount + Int(lengths[head + taken]) <= limit
    }
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[takenByteCount..<end])) }
    (takenByteCount, takenCount) = (end, taken)
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
    (bytes, lengths, head, takenCount, takenByteCount) = (ByteQueue(), [], 0, 0, 0)
  }

  private mutating func dropOldest() {
    while bytes.count > Self.keptByteCount, takenCount > 0 { dropFirstTaken() }
  }

  private mutating func dropFirstTaken() {
    takenByteCount -= Int(lengths[head])
    takenCount -= 1
    dropFirst()
  }

  private mutating func dropFirst() {
    bytes.removeFirst(Int(lengths[head]))
    head += 1
    guard head >= 64, head * 2 >= lengths.count else { return }
    lengths.removeFirst(head)
    head = 0
  }

  /// A stream without unconfirmed events holds no memory for them.
  private mutating func freeIfEmpty() {
    guard count == 0 else { return }
    (bytes, lengths, head) = (ByteQueue(), [], 0)
  }
}
