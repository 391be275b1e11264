package import ParleyProtocol

/// The positions of channels: their last events, by the log's numbers of the channels.
///
/// Numbers of channels that do not exist are left out.
package struct ChannelPositions: StoreLookup {
  package var ids: [Int64]

  package init(of ids: [Int64]) { self.ids = ids }

  package var statements: ReadStatements<[Int64: StreamPosition]> {
    .init { try $0.positions(of: ids) }
  }
}

extension StoreTransaction {
  fileprivate func positions(of ids: [Int64]) throws -> [Int64: StreamPosition] {
    let found = try connection.all(
      "SELECT channel_id, epoch, last_seq FROM channels WHERE channel_id \(.isAnyOf)",
      [StoreValue.integers(ids)]
    ) { row in
      (row[0] as Int64, StreamPosition(epoch: row[1], seq: row[2]))
    }
    return Dictionary(uniqueKeysWithValues: found)
  }
}
