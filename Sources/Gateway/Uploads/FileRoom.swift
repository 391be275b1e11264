import Reactor
import Synchronization

/// The room that `limits.files_disk_bytes` leaves for files, as far as this server knows.
///
/// Files are counted when the server starts, and every minute while some come. Between two counts each file
/// that is coming has its room reserved, so that the room which a request did not use is free again when the
/// request ends.
final class FileRoom: Sendable {
  /// Counts the bytes of all files, and of those that are coming on other servers.
  ///
  /// Takes the ids of the files that are coming here, of which what is stored counts; and a completion,
  /// which may be called on any thread, with `nil` when the count failed.
  typealias Count =
    @Sendable (
      _ comingHere: @escaping @Sendable () -> [String],
      _ completion: @escaping @Sendable (Int64?) -> Void
    ) -> Void

  /// Milliseconds from one count to the next.
  static let countInterval: Int64 = 60_000

  /// Bytes; 0 for any number.
  private let limit: Int64
  private let count: Count
  private let state = Mutex(State())

  private struct State {
    /// The bytes of the last count, with those that were stored since; `nil` before the first count.
    var knownByteCount: Int64?
    /// Milliseconds of a steady clock.
    var countedAt: Int64 = 0
    var isCounting = false
    /// Waits for the first count.
    var waiting: [@Sendable () -> Void] = []
    /// The bytes that are still to come, by file and reservation.
    ///
    /// Of a file that several requests want to write the largest counts: one of them will.
    var reserved: [String: [UInt64: Int64]] = [:]
    var reservedByteCount: Int64 = 0
    var lastNumber: UInt64 = 0

    func reservedByteCount(of fileID: String) -> Int64 { reserved[fileID]?.values.max() ?? 0 }

    /// Sets the bytes of a reservation; `nil` ends it.
    mutating func reserve(_ byteCount: Int64?, _ number: UInt64, for fileID: String) {
      let before = reservedByteCount(of: fileID)
      reserved[fileID, default: [:]][number] = byteCount
      if reserved[fileID]?.isEmpty == true { reserved[fileID] = nil }
      reservedByteCount += reservedByteCount(of: fileID) - before
    }

    /// Decides whether files are to be counted, and notes that they are being counted.
    mutating func beginCount(at now: Int64) -> Bool {
      guard !isCounting, knownByteCount == nil || now - countedAt >= FileRoom.countInterval else {
        return false
      }
      (isCounting, countedAt) = (true, now)
      return true
    }
  }

  init(limit: Int64, count: @escaping Count) {
    self.limit = limit
    self.count = count
  }

  /// Whether it is known how many bytes there are; always without a limit.
  var isCounted: Bool { limit == 0 || state.withLock { $0.knownByteCount != nil } }

  /// Calls a closure once files have been counted, or could not be.
  ///
  /// - Parameter proceed: Called at once, or on the thread of the count.
  func whenCounted(
    at now: Int64 = SystemClock.monotonicMilliseconds, _ proceed: @escaping @Sendable () -> Void
  ) {
    guard limit > 0 else { return proceed() }
    let (isCounted, mustCount) = state.withLock { state -> (Bool, Bool) in
      guard state.knownByteCount == nil else { return (true, false) }
      state.waiting.append(proceed)
      return (false, state.beginCount(at: now))
    }
    if isCounted { proceed() }
    if mustCount { beginCount() }
  }

  /// Reserves the room for bytes of a file that are to come; `nil` when there is no room.
  ///
  /// There is none as long as files have not been counted: see ``whenCounted(at:_:)``.
  func reserve(
    _ byteCount: Int64, for fileID: String, at now: Int64 = SystemClock.monotonicMilliseconds
  ) -> RoomReservation? {
    let (number, mustCount) = state.withLock { state -> (UInt64?, Bool) in
      let mustCount = limit > 0 && state.beginCount(at: now)
      guard hasRoom(for: byteCount, of: fileID, state) else { return (nil, mustCount) }
      state.lastNumber += 1
      state.reserve(byteCount, state.lastNumber, for: fileID)
      return (state.lastNumber, mustCount)
    }
    if mustCount { beginCount() }
    return number.map { RoomReservation($0, for: fileID, in: self) }
  }

  private func hasRoom(for byteCount: Int64, of fileID: String, _ state: State) -> Bool {
    guard limit > 0 else { return true }
    guard let known = state.knownByteCount else { return false }
    let added = max(0, byteCount - state.reservedByteCount(of: fileID))
    return known + state.reservedByteCount + added <= limit
  }

  // MARK: Counting

  private func beginCount() {
    count(
      { [self] in state.withLock { Array($0.reserved.keys) } },
      { [self] byteCount in endCount(byteCount) })
  }

  private func endCount(_ byteCount: Int64?) {
    let waiting = state.withLock { state -> [@Sendable () -> Void] in
      state.isCounting = false
      if let byteCount { state.knownByteCount = byteCount }
      defer { state.waiting = [] }
      return state.waiting
    }
    for proceed in waiting { proceed() }
  }

  // MARK: Reservations

  fileprivate func note(stored byteCount: Int64, by number: UInt64, of fileID: String) {
    state.withLock { state in
      guard let rest = state.reserved[fileID]?[number] else { return }
      state.reserve(max(0, rest - byteCount), number, for: fileID)
      if let known = state.knownByteCount { state.knownByteCount = max(0, known + byteCount) }
    }
  }

  fileprivate func release(_ number: UInt64, for fileID: String) {
    state.withLock { $0.reserve(nil, number, for: fileID) }
  }
}

/// The room for the bytes of a file that are to come, for as long as the request that brings them keeps it.
final class RoomReservation: Sendable {
  private let number: UInt64
  private let fileID: String
  private let room: FileRoom

  fileprivate init(_ number: UInt64, for fileID: String, in room: FileRoom) {
    self.number = number
    self.fileID = fileID
    self.room = room
  }

  deinit { room.release(number, for: fileID) }

  /// Notes that bytes of the file are stored, which count from now on; fewer than none when some were
  /// given up.
  func note(stored byteCount: Int64) { room.note(stored: byteCount, by: number, of: fileID) }
}
