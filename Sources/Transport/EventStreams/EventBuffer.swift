/// The numbered events of a stream that its client may still ask for.
///
///     confirmed │ taken by the reader │ waiting │
///               first                           last
///
/// Events are numbered from 1. Confirmed events are freed, in whole batches. Taken batches are kept until
/// they are confirmed, the latest ``keptByteCount`` bytes of them; waiting events are always kept. The text
/// of events is shared with other streams; only the numbers belong to the stream.
package struct EventBuffer {
  /// The bytes above which the oldest taken batches are dropped.
  package static let keptByteCount = 262_144

  /// The result of continuing after an event.
  package enum Resumption: Equatable {
    case resumed
    /// Later events were dropped: the client cannot continue without a gap.
    case gone
    /// There is no such event: `last` is the number of the latest.
    case ahead(last: UInt64)
  }

  /// A batch with its numbers.
  private struct Run {
    let batch: EventBatch
    let first: UInt64
    /// The bytes as they are sent.
    let byteCount: UInt32
    let memory: UInt32

    var next: UInt64 { first + UInt64(batch.count) }
  }

  /// The number of the latest event; 0 before the first.
  package private(set) var last: UInt64 = 0
  /// The number of the first event that the reader has not taken.
  private var firstWaiting: UInt64 = 1
  /// The bytes of the kept events as they are sent.
  package private(set) var byteCount = 0
  /// The bytes of the kept events that the reader has not taken.
  package private(set) var waitingByteCount = 0
  /// The memory of the kept events, in bytes.
  package private(set) var memory = 0
  /// The kept batches, from `head` on.
  private var runs: [Run] = []
  private var head = 0

  package init() {}

  /// Whether events wait for a reader.
  package var hasWaiting: Bool { firstWaiting <= last }

  private var firstKept: UInt64 { head < runs.count ? runs[head].first : last + 1 }

  /// Appends the events of a batch.
  mutating func append(_ batch: EventBatch) {
    let run = run(of: batch)
    keep(run)
    waitingByteCount += Int(run.byteCount)
    dropOldest()
  }

  /// The bytes of a batch as it would be sent next.
  func byteCount(of batch: EventBatch) -> Int {
    batch.sentByteCount(of: batch.count, numberedFrom: last + 1)
  }

  /// Appends the events of a batch that the reader takes at once; none may wait.
  mutating func append(taken batch: EventBatch, into bytes: inout [UInt8]) {
    let run = run(of: batch)
    keep(run)
    firstWaiting = last + 1
    _ = batch.append(from: 0, numberedFrom: run.first, upTo: .max / 2, to: &bytes)
    dropOldest()
  }

  /// Appends the next waiting events to `bytes`, whole ones of up to `limit` bytes, and at least one.
  ///
  /// - Returns: `false` when none is waiting.
  @discardableResult
  package mutating func take(upTo limit: Int = .max / 2, into bytes: inout [UInt8]) -> Bool {
    guard hasWaiting else { return false }
    let start = bytes.count
    var index = indexOfWaiting
    repeat {
      let run = runs[index]
      let (place, before) = (Int(firstWaiting - run.first), bytes.count)
      let isFirst = before == start
      guard isFirst || before - start + Int(run.byteCount) <= limit else { break }
      let count = run.batch.append(
        from: place, numberedFrom: firstWaiting, upTo: limit - (before - start), to: &bytes)
      firstWaiting += UInt64(count)
      waitingByteCount -= bytes.count - before
      guard firstWaiting == run.next else { break }
      index += 1
    } while index < runs.count
    dropOldest()
    return true
  }

  /// The index of the batch with the first waiting event.
  private var indexOfWaiting: Int {
    var (low, high) = (head, runs.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if runs[middle].first <= firstWaiting { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Confirms the events up to a number, and lets a new reader take the later ones.
  ///
  /// - Parameter number: The last event that the client has received; 0 for none.
  package mutating func resume(after number: UInt64) -> Resumption {
    guard number <= last else { return .ahead(last: last) }
    guard number + 1 >= firstKept else { return .gone }
    firstWaiting = number + 1
    free(upTo: number)
    waitingByteCount = byteCount
    if head < runs.count {
      let run = runs[head]
      let confirmed = max(Int64(number) - Int64(run.first) + 1, 0)
      waitingByteCount -= run.batch.sentByteCount(of: Int(confirmed), numberedFrom: run.first)
    }
    return .resumed
  }

  /// Confirms taken events up to a number.
  package mutating func confirm(upTo number: UInt64) -> Resumption {
    guard number <= last else { return .ahead(last: last) }
    free(upTo: min(number, firstWaiting - 1))
    return .resumed
  }

  /// Drops all events, so that the client cannot continue without a gap.
  package mutating func removeAll() {
    (runs, head, byteCount, waitingByteCount, memory) = ([], 0, 0, 0, 0)
    firstWaiting = last + 1
  }

  private func run(of batch: EventBatch) -> Run {
    Run(
      batch: batch, first: last + 1, byteCount: UInt32(clamping: byteCount(of: batch)),
      memory: UInt32(clamping: MemoryLayout<Run>.stride + batch.share))
  }

  private mutating func keep(_ run: Run) {
    runs.append(run)
    last = run.next - 1
    byteCount += Int(run.byteCount)
    memory += Int(run.memory)
  }

  private mutating func dropOldest() {
    while byteCount > Self.keptByteCount, head < runs.count, runs[head].next <= firstWaiting {
      dropFirst()
    }
  }

  /// Frees the batches whose events are confirmed.
  private mutating func free(upTo number: UInt64) {
    while head < runs.count, runs[head].next <= number + 1 { dropFirst() }
    // A stream without unconfirmed events holds no memory for them.
    if head == runs.count { (runs, head) = ([], 0) }
  }

  private mutating func dropFirst() {
    byteCount -= Int(runs[head].byteCount)
    memory -= Int(runs[head].memory)
    head += 1
    guard head >= 64, head * 2 >= runs.count else { return }
    runs.removeFirst(head)
    head = 0
  }
}
