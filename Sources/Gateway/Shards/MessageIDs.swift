import Synchronization

/// Makes message ids: unique in the deployment, increasing, exact in JavaScript.
///
///     id = (milliseconds since 2025-01-01) · 2^12 + count · 2^bits + slot
///
/// 41 bits of time last until 2094, and leave 12 bits for the ids of one millisecond. Servers share
/// these bits: the lowest `bits` hold the server's slot, the others its count. A single server needs no
/// slot and has 4,096 ids per millisecond; each of 16 servers has 256, each of 256 has 16. The number of
/// slots should be no larger than needed: 16,000 ids per second are fewer than one server can store.
///
/// A server that uses up its count continues with that of the next millisecond. Its ids then run ahead
/// of the clock, until the server creates fewer and the clock catches up. The drift only affects the
/// time in an id: ids keep increasing on each server, and after a restart they continue after the
/// highest id in the store.
final class MessageIDs: Sendable {
  private static let beginning: Int64 = 1_735_689_600_000
  /// Bits below the milliseconds.
  private static let fineBits: Int64 = 12

  private let slot: ServerSlot
  private let last: Atomic<Int64>

  /// - Parameter last: The highest id that any server has assigned.
  init(after last: Int64, slot: ServerSlot = .only) {
    self.slot = slot
    self.last = Atomic(slot.id(upTo: last))
  }

  /// Continues after an id that another server has assigned.
  func advance(past id: Int64) {
    last.max(slot.id(upTo: id), ordering: .relaxed)
  }

  /// The time in the newest id, in Unix milliseconds; `nil` before the first id.
  ///
  /// At most a few milliseconds after the time of the newest message.
  var newestTime: Int64? { Self.time(of: last.load(ordering: .relaxed)) }

  /// The time in an id, in Unix milliseconds; `nil` for an id below those of messages.
  static func time(of id: Int64) -> Int64? {
    id >> fineBits > 0 ? beginning + id >> fineBits : nil
  }

  /// The first id of a time in Unix milliseconds.
  static func id(at time: Int64) -> Int64 { max(time - beginning, 0) << fineBits }

  /// The next id.
  func next(at now: Int64) -> Int64 {
    let timely = max(now - Self.beginning, 0) << Self.fineBits + slot.number
    var known = last.load(ordering: .relaxed)
    while true {
      let candidate = max(known + slot.stride, timely)
      let (isExchanged, current) = last.weakCompareExchange(
        expected: known, desired: candidate, ordering: .relaxed)
      if isExchanged { return candidate }
      known = current
    }
  }
}

/// The part of ids that differs between the servers of a deployment.
///
/// All servers use the same number of bits. The number may change while no server is running: later ids
/// are higher than all earlier ones.
struct ServerSlot: Sendable, Hashable {
  /// The slot of a single server.
  static let only = ServerSlot(number: 0, bits: 0)

  let number: Int64
  /// 0 to 8.
  let bits: Int64

  /// The distance between two ids of a server.
  var stride: Int64 { 1 << bits }

  /// The highest id of this slot that is not higher than a given id.
  fileprivate func id(upTo other: Int64) -> Int64 {
    let id = other & ~(stride - 1) + number
    return id > other ? id - stride : id
  }
}
