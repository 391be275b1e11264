import Dispatch

/// The time that a query may spend on rows; confined to the thread that runs it.
///
/// A list checks after each row that does not match, so every page advances by at least one row. A list
/// without filters has no such rows: its page is limited only by its items and bytes, and is complete.
final class QueryTime {
  /// Rows between two checks of the clock, which take some microseconds.
  static let standardRowsPerLook = 32

  private let clock: () -> UInt64
  private let end: UInt64
  private let rowsPerLook: Int
  private var rowsUntilLook: Int
  /// Whether the time was up at the last check of the clock.
  private(set) var isOver = false

  /// - Parameters:
  ///   - nanoseconds: The time from now on.
  ///   - clock: A monotonic clock.
  init(
    nanoseconds: UInt64, rowsPerLook: Int = standardRowsPerLook,
    clock: @escaping () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
  ) {
    self.clock = clock
    self.rowsPerLook = rowsPerLook
    rowsUntilLook = rowsPerLook
    end = clock().addingReportingOverflow(nanoseconds).partialValue
  }

  /// Counts a row that does not match.
  ///
  /// - Returns: Whether the query has to end.
  func isOverAfterRow() -> Bool {
    rowsUntilLook -= 1
    guard rowsUntilLook <= 0, !isOver else { return isOver }
    return look()
  }

  private func look() -> Bool {
    rowsUntilLook = rowsPerLook
    isOver = clock() >= end
    return isOver
  }
}
