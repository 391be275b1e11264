import Synchronization
import Testing

@testable import Gateway

@Suite("Storage space for files")
struct FileRoomTests {
  /// Counts of files that are answered by hand.
  private final class Counter: Sendable {
    private struct Count {
      let comingHere: [String]
      let completion: @Sendable (Int64?) -> Void
    }

    private let counts = Mutex<[Count]>([])

    func begin(
      _ comingHere: @Sendable () -> [String], _ completion: @escaping @Sendable (Int64?) -> Void
    ) {
      let count = Count(comingHere: comingHere().sorted(), completion: completion)
      counts.withLock { $0.append(count) }
    }

    /// The files that were coming when each count began that has not ended.
    var underWay: [[String]] { counts.withLock { $0.map(\.comingHere) } }

    func end(_ byteCount: Int64?) {
      let first = counts.withLock { $0.removeFirst() }
      first.completion(byteCount)
    }
  }

  private let counter = Counter()

  private func room(limit: Int64, counted: Int64? = nil) -> FileRoom {
    let room = FileRoom(limit: limit) { [counter] in counter.begin($0, $1) }
    if let counted {
      room.whenCounted(at: 0) {}
      counter.end(counted)
    }
    return room
  }

  @Test("unused space of a request is released when the request ends, however much has arrived")
  func isReleased() {
    let room = room(limit: 100, counted: 40)
    for _ in 0..<1_000 { #expect(room.reserve(60, for: "a", at: 1) != nil) }
    withExtendedLifetime(room.reserve(60, for: "a", at: 1)) {
      #expect(room.reserve(1, for: "b", at: 1) == nil)
    }
  }

  @Test("stored bytes stay counted when the request ends, abandoned bytes do not")
  func isStored() {
    let room = room(limit: 100, counted: 40)
    var first = room.reserve(50, for: "a", at: 1)
    first?.note(stored: 30)
    #expect(room.reserve(11, for: "b", at: 1) == nil)
    first = nil
    #expect(room.reserve(31, for: "b", at: 1) == nil)
    var second = room.reserve(20, for: "a", at: 1)
    // It begins anew and is cut early.
    second?.note(stored: -25)
    #expect(room.reserve(11, for: "b", at: 1) == nil)
    second = nil
    #expect(room.reserve(55, for: "b", at: 1) != nil)
    #expect(room.reserve(56, for: "b", at: 1) == nil)
  }

  @Test("a changed limit applies immediately; files are counted first if there was no limit")
  func adopts() {
    let limited = room(limit: 100, counted: 40)
    limited.adopt(limit: 50, at: 1)
    #expect(limited.reserve(11, for: "a", at: 1) == nil)
    #expect(limited.reserve(10, for: "a", at: 1) != nil)
    let free = room(limit: 0)
    #expect(free.isCounted)
    free.adopt(limit: 50, at: 1)
    #expect(!free.isCounted && free.reserve(1, for: "a", at: 1) == nil)
    counter.end(49)
    #expect(free.isCounted && free.reserve(2, for: "a", at: 1) == nil)
    #expect(free.reserve(1, for: "a", at: 1) != nil)
    free.adopt(limit: 0, at: 1)
    #expect(free.reserve(1_000, for: "a", at: 1) != nil)
  }

  @Test("a file written by several requests is reserved for once")
  func isSharedByOneFile() {
    let room = room(limit: 100, counted: 0)
    var all = (0..<5).map { _ in room.reserve(60, for: "a", at: 1) }
    #expect(all.allSatisfy { $0 != nil } && room.reserve(41, for: "b", at: 1) == nil)
    all.removeLast(4)
    #expect(room.reserve(41, for: "b", at: 1) == nil && room.reserve(40, for: "b", at: 1) != nil)
    all = []
    #expect(room.reserve(100, for: "b", at: 1) != nil)
  }

  @Test("no space is available before the first count, and requests wait for it")
  func waits() {
    let room = room(limit: 100)
    let proceeded = Mutex(0)
    for _ in 0..<3 { room.whenCounted(at: 0) { proceeded.withLock { $0 += 1 } } }
    #expect(!room.isCounted && proceeded.withLock { $0 } == 0 && counter.underWay == [[]])
    #expect(room.reserve(1, for: "a", at: 0) == nil && counter.underWay.count == 1)
    counter.end(nil)
    #expect(!room.isCounted && proceeded.withLock { $0 } == 3)
    #expect(room.reserve(1, for: "a", at: 0) == nil && counter.underWay.count == 1)
    counter.end(100)
    #expect(room.isCounted && room.reserve(1, for: "a", at: 0) == nil)
    #expect(room.reserve(0, for: "a", at: 0) != nil)
  }

  @Test("files are counted once a minute, excluding files that are being stored")
  func counts() {
    let room = room(limit: 100, counted: 0)
    let coming = room.reserve(60, for: "a", at: 59_999)
    #expect(counter.underWay == [])
    #expect(room.reserve(1, for: "b", at: 60_000) != nil)
    #expect(room.reserve(1, for: "b", at: 60_000) != nil)
    #expect(counter.underWay == [["a", "b"]])
    counter.end(30)
    #expect(coming != nil && room.reserve(10, for: "b", at: 60_001) != nil)
    #expect(room.reserve(11, for: "b", at: 60_001) == nil)
    #expect(room.reserve(1, for: "b", at: 120_000) != nil && counter.underWay.count == 1)
  }

  @Test("an upload reserves a step beyond the received bytes, and stored bytes need none")
  func steps() throws {
    let step = FileRoom.step
    let room = room(limit: 100 * step, counted: 0)
    let rest = 8 * step
    let upload = try #require(room.reserveStep(of: rest, for: "a", of: "ada", at: 1))
    #expect(room.reserve(99 * step + 1, for: "b", at: 1) == nil)
    #expect(room.reserve(99 * step, for: "b", at: 1) != nil)
    #expect(upload.cover(step, of: rest) && room.reserve(99 * step, for: "b", at: 1) != nil)
    #expect(upload.cover(step + 1, of: rest))
    #expect(room.reserve(98 * step, for: "b", at: 1) == nil)
    upload.note(stored: step + 1)
    #expect(upload.cover(step, of: rest - step - 1))
    withExtendedLifetime(upload) {
      #expect(room.reserve(98 * step - 1, for: "b", at: 1) != nil)
      #expect(room.reserve(98 * step, for: "b", at: 1) == nil)
    }
  }

  @Test(
    "an upload that cannot fit is refused at once, or on arrival if others took its space"
  )
  func doesNotFit() throws {
    let step = FileRoom.step
    let room = room(limit: 10 * step, counted: 2 * step)
    #expect(room.reserveStep(of: 8 * step + 1, for: "a", of: "ada", at: 1) == nil)
    let upload = try #require(room.reserveStep(of: 8 * step, for: "a", of: "ada", at: 1))
    withExtendedLifetime(room.reserve(7 * step, for: "b", at: 1)) {
      #expect(upload.cover(step, of: 8 * step) && !upload.cover(step + 1, of: 8 * step))
    }
  }

  @Test("uploads of one user reserve an eighth of the free space, so that others find some")
  func shares() throws {
    let step = FileRoom.step
    let room = room(limit: 40 * step, counted: 0)
    let first = (0..<20).map {
      room.reserveStep(of: 30 * step, for: "a\($0)", of: "ada", at: 1)
    }
    #expect(first.allSatisfy { $0 != nil })
    #expect(room.reserve(35 * step, for: "f", at: 1) != nil)
    #expect(room.reserve(35 * step + 1, for: "f", at: 1) == nil)
    // What comes is taken all the same, of that user and of others.
    #expect(first[19]?.cover(2 * step, of: 30 * step) == true)
    #expect(room.reserve(33 * step, for: "f", at: 1) != nil)
    #expect(room.reserve(33 * step + 1, for: "f", at: 1) == nil)
    let other = try #require(room.reserveStep(of: 30 * step, for: "b", of: "bob", at: 1))
    #expect(other.cover(30 * step, of: 30 * step))
    other.note(stored: 30 * step)
    // Nearly all is used, and somebody else still finds a step.
    withExtendedLifetime((first, other)) {
      #expect(room.reserveStep(of: step, for: "d", of: "dan", at: 1) != nil)
      #expect(room.reserveStep(of: 10 * step + 1, for: "e", of: "eve", at: 1) == nil)
    }
  }

  @Test("without a limit no file is counted or refused")
  func off() {
    let room = room(limit: 0)
    let proceeded = Mutex(false)
    room.whenCounted { proceeded.withLock { $0 = true } }
    #expect(room.isCounted && proceeded.withLock { $0 })
    #expect(room.reserve(.max, for: "a") != nil && counter.underWay == [])
  }
}
