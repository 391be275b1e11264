import SQLite

/// The next step of a scan after a row.
enum ScanStep {
  /// The row was looked at.
  case passed
  /// The row was looked at, decoded and encoded.
  case taken
  /// The row is not wanted: the scan ends before it.
  case stop
}

/// Why a scan ended.
enum ScanEnd {
  /// No row is left.
  case exhausted
  case stopped
  case outOfTime
}

extension StoreTransaction {
  /// Calls `body` with the rows of a query, until it stops or the time is up.
  func scan(
    _ sql: String, _ arguments: Arguments, _ body: (Row) throws -> ScanStep
  ) throws -> ScanEnd {
    let rows = try connection.rows(sql, arguments)
    while let row = try rows.next() {
      switch try body(row) {
      case .stop: return .stopped
      case .passed: if time?.isOverAfterRow() == true { return .outOfTime }
      case .taken: if time?.isOverAfterItem() == true { return .outOfTime }
      }
    }
    return .exhausted
  }

  /// Reads a page of a list.
  ///
  /// - Parameters:
  ///   - sql: A statement whose first column says whether the row fits the filters.
  ///   - limit: Most items; 1 at least.
  ///   - item: Makes an item of a row that fits.
  ///   - token: The token that goes on after a row.
  func page<Value>(
    _ sql: String, _ arguments: Arguments, limit: Int,
    item: (Row) throws -> PageItem<Value>, token: (Row) throws -> String
  ) throws -> ListPage<Value> {
    var room = PageRoom.answer
    var page = ListPage<Value>(items: [], next: "")
    let rows = try connection.rows(sql, arguments)
    while let row = try rows.next() {
      guard row[0] as Bool else {
        guard time?.isOverAfterRow() == true else { continue }
        page.next = try token(row)
        return page
      }
      guard page.items.count < limit else { return page }
      let made = try item(row)
      guard room.admit(byteCount: made.byteCount) else { return page }
      page.items.append(made.value)
      page.next = try token(row)
      if time?.isOverAfterItem() == true { return page }
    }
    page.next = ""
    return page
  }
}
