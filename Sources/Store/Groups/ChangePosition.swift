import Basics
import ParleyProtocol

/// A place in a list of changes.
struct ChangePosition: PagePosition {
  /// A number of a ``ChangeClock``.
  var number: Int64
  /// The last item that was listed with this number; empty for none.
  var last = ""
  /// The number from which the list begins again after its last page; 0 before the first page.
  var next: Int64 = 0

  init(number: Int64, last: String = "", next: Int64 = 0) {
    (self.number, self.last, self.next) = (number, last, next)
  }

  var positionBytes: [UInt8] { number.bigEndianBytes + next.bigEndianBytes + Array(last.utf8) }

  init?(positionBytes bytes: [UInt8]) {
    guard let number = Int64(bigEndianBytes: bytes.prefix(8)),
      let next = Int64(bigEndianBytes: bytes.dropFirst(8).prefix(8)),
      let last = String(validating: bytes.dropFirst(16), as: UTF8.self)
    else { return nil }
    self.init(number: number, last: last, next: next)
  }
}

extension ChangePosition {
  /// - Parameter settled: The last number before the position.
  init(after settled: Int64) { self.init(number: settled + 1) }

  /// - Parameter list: The list that the token belongs to.
  func token(of list: [String]) -> String { PageCursor(of: list).token(after: self) }

  /// - Parameter list: The list that a token must belong to.
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  init(_ start: ChangeList.Start, of list: [String]) throws(StoreError) {
    switch start {
    case .time(let time): self.init(number: time * 1_000)
    case .token(let token):
      guard let position = PageCursor<ChangePosition>(of: list).position(in: token) else {
        throw .invalidPageToken
      }
      self = position
    }
  }
}

extension StoreTransaction {
  /// - Throws: `StoreError.invalidPageToken` if changes after a position may be forgotten.
  func requireKept(_ position: ChangePosition, at now: Int64) throws {
    let floor = try connection.first(
      "SELECT value FROM meta WHERE key = ?", [ChangeClock.floorRow]
    ) { $0[0] as Int64 }
    guard position.number >= max(ChangeList.oldest(at: now) * 1_000, floor ?? 0) else {
      throw StoreError.invalidPageToken
    }
  }
}
