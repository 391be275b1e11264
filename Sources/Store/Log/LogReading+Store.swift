import Channels
import ParleyProtocol

extension StoreTransaction {
  /// Answers a read of the log from the state that the transaction sees.
  func answer(_ read: LogRead) throws -> LogReading {
    switch read {
    case .channel(let url): return .channel(try channel(url))
    case .sends(let channelID, let time, let limit):
      return .sends(try recentSends(channelID: channelID, after: time, limit: limit))
    case .message(let id, let channelID):
      return .message(try message(id, channelID: channelID))
    case .messagePlace(let id, let channelID):
      return .messagePlace(try messagePlace(id, channelID: channelID))
    case .request(let name, let userID, let channelID, let time):
      do {
        return .message(
          try findByRequestID(
            channelID: channelID, userID: userID, requestID: name, since: time))
      } catch StoreError.notFound(.message) {
        return .withdrawn
      }
    case .imported(let name, let userID, let channelID, let createdAt):
      return .message(
        try importedMessage(name, by: userID, channelID: channelID, at: createdAt))
    case .missed(let channelID, let seq, let byteLimit, let reach):
      return .missed(
        try missed(channelID: channelID, after: seq, byteLimit: byteLimit, reach: reach))
    case .users(let ids): return .users(try usersInOrder(ids))
    case .group(let channelID, let since, let readerID, let memberLimit):
      return .group(
        try groupReading(
          channelID: channelID, since: since, readerID: readerID, memberLimit: memberLimit))
    case .blockers(let userID, let channelID):
      return .ids(try joinedBlockers(of: userID, channelID: channelID))
    case .places(let ids): return .places(try places(ids))
    }
  }

  private func places(_ ids: [Int64]) throws -> [LogChannel] {
    try connection.all(
      "SELECT channel_id, url, term, last_seq FROM channels WHERE channel_id \(.isAnyOf)",
      [StoreValue.integers(ids)]
    ) { LogChannel(id: $0[0], url: $0[1], term: $0[2], lastSeq: $0[3]) }
  }

  private func missed(
    channelID: Int64, after seq: Int64, byteLimit: Int64, reach: Int64?
  ) throws -> [DurableEvent]? {
    guard let events = try events(channelID: channelID, after: seq, byteLimit: byteLimit) else {
      return nil
    }
    guard let reach else { return events }
    return try recentUpdates(channelID: channelID, upTo: seq, within: reach).map { $0 + events }
  }
}
