import Reactor
import Synchronization

/// The room for files under `limits.files_disk_bytes`, as far as this server knows.
///
/// Files are counted when the server starts, and every minute while files arrive. Between two counts,
/// room is reserved for each incoming file, so that room that a request did not use is free again when
/// the request ends. An upload reserves room for the bytes that have arrived and one step ahead. All
/// uploads of one user reserve at most an eighth of the free room ahead, so that a user who begins many
/// uploads and sends little does not block others.
final class FileRoom: Sendable {
  /// Counts the bytes of all files, and of files that are arriving on other servers.
  ///
  /// Receives the ids of the files that are arriving here, whose stored bytes count, and a completion,
  /// which may be called on any thread, with `nil` when the count failed.
  typealias Count =
    @Sendable (
      _ comingHere: @escaping @Sendable () -> [String],
      _ completion: @escaping @Sendable (Int64?) -> Void
    ) -> Void

  /// The interval between two counts, in milliseconds.
  static let countInterval: Int64 = 60_000
  /// The bytes that an upload reserves ahead of those that have arrived.
  static let step: Int64 = 1 << 20
  /// The part of the free room that uploads of one user may reserve ahead, besides the first step.
  private static let usersPart: Int64 = 8

  private let count: Count
  private let state: Mutex<State>

  private struct State {
    /// In bytes; 0 means no limit.
    var limit: Int64
    /// The bytes of the last count, plus those stored since; `nil` before the first count.
    var knownByteCount: Int64?
    /// Milliseconds of a steady clock.
    var countedAt: Int64 = 0
    var isCounting = false
    /// The closures that wait for the first count.
    var waiting: [@Sendable () -> Void] = []
    /// The bytes that have not yet arrived, by file and reservation.
    ///
    /// When several requests want to write one file, the largest counts: one of them will write.
    var reserved: [String: [UInt64: ReservedBytes]] = [:]
    var reservedByteCount: Int64 = 0
    /// The bytes that uploads of each user have reserved ahead.
    var usersAhead: [String: Int64] = [:]
    var lastNumber: UInt64 = 0

    func reservedByteCount(of fileID: String) -> Int64 {
      reserved[fileID]?.values.lazy.map(\.count).max() ?? 0
    }

    func ahead(of fileID: String) -> Int64 {
      reserved[fileID]?.values.lazy.map(\.ahead).max() ?? 0
    }

    /// Sets the bytes of a reservation; `nil` ends the reservation.
    mutating func reserve(_ bytes: ReservedBytes?, _ number: UInt64, for file: ComingFile) {
      let before = (count: reservedByteCount(of: file.id), ahead: ahead(of: file.id))
      reserved[file.id, default: [:]][number] = bytes
      if reserved[file.id]?.isEmpty == true { reserved[file.id] = nil }
      reservedByteCount += reservedByteCount(of: file.id) - before.count
      guard let userID = file.userID else { return }
      let sum = usersAhead[userID, default: 0] + ahead(of: file.id) - before.ahead
      usersAhead[userID] = sum == 0 ? nil : sum
    }

    /// Decides whether to count files, and records that a count is running.
    mutating func beginCount(at now: Int64) -> Bool {
      guard !isCounting, knownByteCount == nil || now - countedAt >= FileRoom.countInterval else {
        return false
      }
      (isCounting, countedAt) = (true, now)
      return true
    }
  }

  init(limit: Int64, count: @escaping Count) {
    state = Mutex(State(limit: limit))
    self.count = count
  }

  /// Adopts a new limit.
  ///
  /// Existing files stay, and are counted first when there was no limit before.
  func adopt(limit: Int64, at now: Int64 = SystemClock.monotonicMilliseconds) {
    state.withLock { $0.limit = limit }
    whenCounted(at: now) {}
  }

  /// Whether the number of stored bytes is known; always true without a limit.
  var isCounted: Bool { state.withLock { $0.limit == 0 || $0.knownByteCount != nil } }

  /// Calls a closure once files have been counted, or the count has failed.
  ///
  /// - Parameter proceed: Called immediately, or on the thread of the count.
  func whenCounted(
    at now: Int64 = SystemClock.monotonicMilliseconds, _ proceed: @escaping @Sendable () -> Void
  ) {
    let (isCounted, mustCount) = state.withLock { state -> (Bool, Bool) in
      guard state.limit > 0, state.knownByteCount == nil else { return (true, false) }
      state.waiting.append(proceed)
      return (false, state.beginCount(at: now))
    }
    if isCounted { proceed() }
    if mustCount { beginCount() }
  }

  /// Reserves room for the expected bytes of a file; `nil` when there is no room.
  ///
  /// There is no room until files have been counted: see ``whenCounted(at:_:)``.
  func reserve(
    _ byteCount: Int64, for fileID: String, at now: Int64 = SystemClock.monotonicMilliseconds
  ) -> RoomReservation? {
    let file = ComingFile(id: fileID, userID: nil)
    return reserve([ReservedBytes(count: byteCount)], of: byteCount, for: file, at: now)
  }

  /// Reserves the first step of the room for the rest of a user's upload; `nil` when there is no room
  /// for the step, or for the rest even without other files.
  ///
  /// Later steps follow with ``RoomReservation/cover(_:of:)``.
  func reserveStep(
    of rest: Int64, for fileID: String, of userID: String,
    at now: Int64 = SystemClock.monotonicMilliseconds
  ) -> RoomReservation? {
    let file = ComingFile(id: fileID, userID: userID)
    return reserve(Self.choices(for: 0, of: rest), of: rest, for: file, at: now)
  }

  /// The bytes to reserve after some have arrived: with a step ahead, or else without.
  private static func choices(for came: Int64, of rest: Int64) -> [ReservedBytes] {
    let ahead = max(0, min(step, rest - came))
    return [ReservedBytes(count: came + ahead, ahead: ahead), ReservedBytes(count: came)]
  }

  /// Reserves the first of some choices for which there is room.
  private func reserve(
    _ choices: [ReservedBytes], of rest: Int64, for file: ComingFile, at now: Int64
  ) -> RoomReservation? {
    let (number, mustCount) = state.withLock { state -> (UInt64?, Bool) in
      let limit = state.limit
      let mustCount = limit > 0 && state.beginCount(at: now)
      guard limit == 0 || rest <= limit - (state.knownByteCount ?? limit),
        let bytes = choices.first(where: { hasRoom(for: $0, of: file, state) })
      else { return (nil, mustCount) }
      state.lastNumber += 1
      state.reserve(bytes, state.lastNumber, for: file)
      return (state.lastNumber, mustCount)
    }
    if mustCount { beginCount() }
    return number.map { RoomReservation($0, for: file, in: self) }
  }

  private func hasRoom(for bytes: ReservedBytes, of file: ComingFile, _ state: State) -> Bool {
    let limit = state.limit
    guard limit > 0 else { return true }
    guard let known = state.knownByteCount else { return false }
    let added = max(0, bytes.count - state.reservedByteCount(of: file.id))
    guard known + state.reservedByteCount + added <= limit else { return false }
    guard bytes.ahead > 0, let userID = file.userID else { return true }
    let others = state.usersAhead[userID, default: 0] - state.ahead(of: file.id)
    return others == 0 || others + bytes.ahead <= (limit - known) / Self.usersPart
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

  fileprivate func cover(
    _ came: Int64, of rest: Int64, by number: UInt64, for file: ComingFile
  ) -> Bool {
    state.withLock { state in
      guard let reserved = state.reserved[file.id]?[number] else { return false }
      var bytes: ReservedBytes? = ReservedBytes(
        count: reserved.count, ahead: min(reserved.ahead, reserved.count - came))
      if reserved.count < came {
        bytes = Self.choices(for: came, of: rest).first { hasRoom(for: $0, of: file, state) }
      }
      guard let bytes else { return false }
      state.reserve(bytes, number, for: file)
      return true
    }
  }

  fileprivate func note(stored byteCount: Int64, by number: UInt64, of file: ComingFile) {
    state.withLock { state in
      guard let reserved = state.reserved[file.id]?[number] else { return }
      let count = max(0, reserved.count - byteCount)
      let bytes = ReservedBytes(count: count, ahead: min(reserved.ahead, count))
      state.reserve(bytes, number, for: file)
      if let known = state.knownByteCount { state.knownByteCount = max(0, known + byteCount) }
    }
  }

  fileprivate func release(_ number: UInt64, for file: ComingFile) {
    state.withLock { $0.reserve(nil, number, for: file) }
  }
}

/// The bytes of a reservation.
private struct ReservedBytes {
  /// The total: the bytes that have arrived and are not stored, and those ahead.
  var count: Int64
  /// The bytes that have not arrived; 0 for a form, whose bytes are reserved as a whole.
  var ahead: Int64 = 0
}

/// An incoming file.
private struct ComingFile: Sendable {
  let id: String
  /// The user who uploads it; `nil` for a form of the Platform API.
  let userID: String?
}

/// The room reserved for the expected bytes of a file, until the request that sends them releases it.
final class RoomReservation: Sendable {
  private let number: UInt64
  private let file: ComingFile
  private let room: FileRoom

  fileprivate init(_ number: UInt64, for file: ComingFile, in room: FileRoom) {
    self.number = number
    self.file = file
    self.room = room
  }

  deinit { room.release(number, for: file) }

  /// Reserves more room, if it is needed for bytes that have arrived and are not stored.
  ///
  /// - Parameter rest: All bytes of the file that are not stored.
  /// - Returns: Whether there is room.
  func cover(_ came: Int64, of rest: Int64) -> Bool {
    room.cover(came, of: rest, by: number, for: file)
  }

  /// Records that bytes of the file are stored, and count from now on; negative when some were
  /// discarded.
  func note(stored byteCount: Int64) { room.note(stored: byteCount, by: number, of: file) }
}
