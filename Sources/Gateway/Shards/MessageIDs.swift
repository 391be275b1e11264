import Synchronization

/// Makes message ids: unique in the deployment, increasing, exact in JavaScript.
///
///     id = (milliseconds since 2025-01-01) · 2^12 + count · 2^bits + slot
///
/// 41 bits of time last until 2094, which leaves 12 bits for the ids of one millisecond. Servers
/// share them: the lowest `bits` hold the server's slot, the others its count. One server needs no
/// slot and has 4,096 ids a millisecond; of 16 servers each has 256, of 256 each 16. So the number of
/// slots should not be larger than needed: 16,000 ids a second are fewer than one server can store.
///
/// A server that uses up its count goes on with the next millisecond's: its ids drift ahead of the
/// clock by as much, and the clock catches up when the server makes fewer. Drift changes nothing but
/// what an id says about its time: ids stay increasing on each server, and after a restart they begin
/// after the highest in the store.
final class MessageIDs: Sendable {
  private static let beginning: Int64 = 1_735_689_600_000
  /// Bits below the milliseconds.
  private static let fineBits: Int64 = 12

  private let slot: ServerSlot
  private let last: Atomic<Int64>

  /// - Parameter last: The highest id that was ever given out, by whichever server.
  init(after last: Int64, slot: ServerSlot = .only) {
    self.slot = slot
    self.last = Atomic(slot.id(upTo: last))
  }

  /// Goes on after an id that another server gave out.
  func advance(past id: Int64) {
    last.max(slot.id(upTo: id), ordering: .relaxed)
  }

  /// The time that the newest id says, Unix milliseconds; `nil` before the first.
  ///
  /// It is at most some milliseconds after that of the newest message.
  var newestTime: Int64? { Self.time(of: last.load(ordering: .relaxed)) }

  /// The time that an id says, Unix milliseconds; `nil` for one below those of messages.
  static func time(of id: Int64) -> Int64? {
    id >> fineBits > 0 ? beginning + id >> fineBits : nil
  }

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

/// The part of ids that is different for each server of a deployment.
///
/// All servers agree on the number of bits. It may change while none of them runs: the ids that
/// follow are higher than all before.
struct ServerSlot: Sendable, Hashable {
  /// The slot of the only server.
  static let only = ServerSlot(number: 0, bits: 0)

  let number: Int64
  /// 0 to 8.
  let bits: Int64

  /// The distance between two ids of a server.
  var stride: Int64 { 1 << bits }

  /// The highest id of this slot that is not higher than another id.
  fileprivate func id(upTo other: Int64) -> Int64 {
    let id = other & ~(stride - 1) + number
    return id > other ? id - stride : id
  }
}
