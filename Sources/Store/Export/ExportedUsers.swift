import ParleyProtocol

/// Reads some users for an export, in the order of their ids.
package struct ExportedUsers<Encoder: ExportEncoder<Account>>: StoreQuery {
  package var filter: ExportFilter
  /// `nil` to begin.
  package var position: ExportPosition?
  package var size: ExportPageSize
  package var encoder: Encoder

  package init(
    _ filter: ExportFilter, after position: ExportPosition?,
    size: ExportPageSize = ExportPageSize(),
    as encoder: Encoder
  ) {
    self.filter = filter
    self.position = position
    self.size = size
    self.encoder = encoder
  }

  package var statements: ReadStatements<ExportPage> { .init { try $0.exportUsers(self) } }
}

extension StoreTransaction {
  fileprivate func exportUsers<Encoder: ExportEncoder<Account>>(
    _ export: ExportedUsers<Encoder>
  ) throws -> ExportPage {
    var page = ExportPage(position: export.position ?? ExportPosition(bound: 0))
    var rows = export.filter.times("created_at")
    rows.require("user_id", isAnyOf: export.filter.userIDs)
    var ids: [String] = []
    func encode() throws {
      guard !ids.isEmpty else { return }
      let accounts = try listedAccounts(ids)
      for id in ids {
        guard let account = accounts[id] else { continue }
        export.encoder.append(account, to: &page.bytes)
        page.rowCount += 1
      }
      ids = []
    }
    let found = try connection.scan(
      """
      SELECT \(rows.flag), user_id FROM users \(.primaryKey) WHERE user_id > ? ORDER BY user_id
      """, rows.arguments + [page.position.name])
    while let row = try found.next() {
      let id: String = row[1]
      if row[0] as Bool { ids.append(id) }
      page.position.name = id
      let isOver = time?.isOverAfterRow() == true
      guard ids.count >= 100 || isOver else { continue }
      try encode()
      if isOver || export.size.isReached(by: page) { return page }
    }
    try encode()
    page.isLast = true
    return page
  }
}
