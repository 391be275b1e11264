import Channels
package import ParleyProtocol

/// A channel of either kind that an export writes.
package struct ExportedChannel: Sendable {
  package enum Content: Sendable {
    case open(Channel)
    case group(ListedGroup)
  }

  package var content: Content
  /// The times up to which the members of a group have read, in Unix milliseconds; `nil` when they were
  /// not asked for.
  package var readTimes: [(userID: String, time: Int64)]?
}

/// Reads some channels for an export, in the order in which they were created.
package struct ExportedChannels<Encoder: ExportEncoder<ExportedChannel>>: StoreQuery {
  package var filter: ExportFilter
  /// `nil` to begin, which takes the newest channel as the bound.
  package var position: ExportPosition?
  package var size: ExportPageSize
  package var showsReadReceipts: Bool
  /// Unix milliseconds.
  package var now: Int64
  package var encoder: Encoder

  package init(
    _ filter: ExportFilter, after position: ExportPosition?,
    size: ExportPageSize = ExportPageSize(),
    showingReadReceipts: Bool, at now: Int64, as encoder: Encoder
  ) {
    self.filter = filter
    self.position = position
    self.size = size
    showsReadReceipts = showingReadReceipts
    self.now = now
    self.encoder = encoder
  }

  package var statements: ReadStatements<ExportPage> { .init { try $0.exportChannels(self) } }
}

extension StoreTransaction {
  fileprivate func exportChannels<Encoder: ExportEncoder<ExportedChannel>>(
    _ export: ExportedChannels<Encoder>
  ) throws -> ExportPage {
    var page = ExportPage(
      position: try export.position ?? ExportPosition(bound: newestChannelNumber()))
    var rows = export.filter.times("created_at")
    rows.require("url", isAnyOf: export.filter.channelURLs)
    if !export.filter.excludedChannelURLs.isEmpty {
      rows.require("url \(.isNoneOf)", [StoreValue.texts(export.filter.excludedChannelURLs)])
    }
    var block: [(id: Int64, isGroup: Bool)] = []
    func encode() throws {
      for channel in try exportedChannels(block, export.showsReadReceipts, at: export.now) {
        export.encoder.append(channel, to: &page.bytes)
        page.rowCount += 1
      }
      block = []
    }
    let found = try connection.scan(
      """
      SELECT \(rows.flag), channel_id, is_group FROM channels \(.primaryKey)
      WHERE channel_id > ? AND channel_id <= ? ORDER BY channel_id
      """, rows.arguments + [page.position.number, page.position.bound])
    while let row = try found.next() {
      let id: Int64 = row[1]
      if row[0] as Bool { block.append((id, row[2])) }
      page.position.number = id
      let isOver = time?.isOverAfterRow() == true
      guard block.count >= 100 || isOver else { continue }
      try encode()
      if isOver || export.size.isReached(by: page) { return page }
    }
    try encode()
    page.isLast = true
    return page
  }

  private func newestChannelNumber() throws -> Int64 {
    try connection.first("SELECT coalesce(max(channel_id), 0) FROM channels", []) {
      $0[0] as Int64
    } ?? 0
  }

  private func exportedChannels(
    _ block: [(id: Int64, isGroup: Bool)], _ showsReadReceipts: Bool, at now: Int64
  ) throws -> [ExportedChannel] {
    let openIDs = block.filter { !$0.isGroup }.map(\.id)
    let groupIDs = block.filter(\.isGroup).map(\.id)
    let open = try openIDs.isEmpty ? [:] : channelStates(openIDs)
    let groups =
      try groupIDs.isEmpty
      ? [:] : listedGroups(groupIDs, GroupRowReading(viewerID: nil, memberLimit: 0, time: now))
    var channels: [ExportedChannel] = []
    for (id, isGroup) in block {
      if isGroup, let group = groups[id] {
        channels.append(
          ExportedChannel(
            content: .group(group), readTimes: try showsReadReceipts ? readTimes(ofGroup: id) : nil)
        )
      } else if let state = open[id] {
        channels.append(ExportedChannel(content: .open(state.channel)))
      }
    }
    return channels
  }

  private func readTimes(ofGroup id: Int64) throws -> [(userID: String, time: Int64)] {
    try connection.all(
      "SELECT user_id, read_at FROM members WHERE channel_id = ? AND read_at > 0 ORDER BY user_id",
      [id]
    ) { ($0[0] as String, $0[1] as Int64) }
  }
}
