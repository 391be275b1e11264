import Dispatch

/// The time that a query may look at rows; confined to the thread that runs it.
///
/// A list asks after each row that does not fit, so that every page gets at least one row further. A list
/// without filters passes no such row: its page is bounded by its items and bytes alone, and is whole.
final class QueryTime {
  /// Rows between two looks at the clock: some microseconds.
  static let standardRowsPerLook = 32

  private let clock: () -> UInt64
  private let end: UInt64
  private let rowsPerLook: Int
  private var rowsUntilLook: Int
  /// Whether the time was up when the query last looked at the clock.
  private(set) var isOver = false

  /// - Parameters:
  ///   - nanoseconds: From now on.
  ///   - clock: A steady clock.
  init(
    nanoseconds: UInt64, rowsPerLook: Int = standardRowsPerLook,
    clock: @escaping () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
  ) {
    self.clock = clock
    self.rowsPerLook = rowsPerLook
    rowsUntilLook = rowsPerLook
    end = clock().addingReportingOverflow(nanoseconds).partialValue
  }

  /// Takes note of a row that does not fit.
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
