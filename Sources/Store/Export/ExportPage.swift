/// The rows that an export writes.
package struct ExportFilter: Sendable, Hashable {
  /// Unix milliseconds: rows created from then on.
  package var start: Int64?
  /// Unix milliseconds: rows created until then, inclusive.
  package var end: Int64?
  /// Only these channels, in this order; empty for all.
  package var channelURLs: [String] = []
  package var excludedChannelURLs: [String] = []
  /// Only messages of these users; empty for all.
  package var senderIDs: [String] = []
  package var excludedSenderIDs: [String] = []
  /// Only these users; empty for all.
  package var userIDs: [String] = []

  /// Only messages by this user, or that mention it.
  package var namedUserID: String?

  package init() {}
}

/// The position of an export: rows up to it were written.
package struct ExportPosition: Sendable, Hashable {
  /// The newest row when the export began; rows added later are left out.
  package var bound: Int64
  /// The place of the channel in ``ExportFilter/channelURLs``.
  package var channel = 0
  /// The creation time of the last message of that channel.
  package var time: Int64 = -1
  /// The last message or channel.
  package var number: Int64 = 0
  /// The last user.
  package var name = ""

  package init(bound: Int64) { self.bound = bound }

  /// The form in the store and in page tokens.
  package var text: String { "\(bound):\(channel):\(time):\(number):\(name)" }

  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let bound = Int64(parts[0]), let channel = Int(parts[1]),
      let time = Int64(parts[2]), let number = Int64(parts[3]), bound >= 0, channel >= 0
    else { return nil }
    self.bound = bound
    self.channel = channel
    self.time = time
    self.number = number
    name = String(parts[4])
  }
}

/// The part of an export that one query reads, encoded.
package struct ExportPage: Sendable {
  package var bytes: [UInt8] = []
  package var rowCount = 0
  package var position: ExportPosition
  /// Whether no rows are left.
  package var isLast = false
}

/// Appends rows of an export to its text.
package protocol ExportEncoder<Row>: Sendable {
  associatedtype Row

  func append(_ row: Row, to bytes: inout [UInt8])
}

/// The bounds of one page of an export.
///
/// A page takes a reader for one or two milliseconds, so that users' messages do not wait for a processor behind
/// it.
package struct ExportPageSize: Sendable, Hashable {
  package var rowCount: Int
  package var byteCount: Int

  package init(rowCount: Int = 200, byteCount: Int = 1 << 17) {
    self.rowCount = rowCount
    self.byteCount = byteCount
  }

  /// Whether a page ends.
  func isReached(by page: ExportPage) -> Bool {
    page.rowCount >= rowCount || page.bytes.count >= byteCount
  }
}

extension ExportFilter {
  /// The condition on the creation time in a column.
  func times(_ column: String) -> Condition {
    var condition = Condition()
    if let start { condition.require("\(column) >= ?", [start]) }
    if let end { condition.require("\(column) <= ?", [end]) }
    return condition
  }
}
