import Channels
import ParleyProtocol

/// The facts that the outcomes of a run of messages depend on.
struct AppendFacts {
  struct Place {
    let term: Int64
    /// The last event before the run.
    let formerSeq: Int64
    var lastSeq: Int64
    /// The number of countable messages of a group; 0 for an open channel.
    var lastOrdinal: Int64
    var lastCreatedAt: Int64 = 0
    var addedCount: Int64 = 0

    init(term: Int64, lastSeq: Int64, lastOrdinal: Int64 = 0) {
      self.term = term
      formerSeq = lastSeq
      self.lastSeq = lastSeq
      self.lastOrdinal = lastOrdinal
    }

    /// - Throws: `LogError.fenced` when the channel was taken over, or has lost events.
    func requireTerm(of channel: LogChannel) throws(LogError) {
      guard term == channel.term, lastSeq >= channel.lastSeq else { throw .fenced }
    }
  }

  struct Request {
    var messageID: Int64
    var createdAt: Int64
  }

  var places: [Int64: Place] = [:]
  var requests: [RequestKey: Request] = [:]
  var takenIDs: Set<Int64> = []
  var takenFiles: Set<String> = []
  /// The files among them that need a key.
  var sealedFiles: Set<String> = []
  /// Files of users, with whether they can be used in messages.
  var uploads: [String: Bool] = [:]
  var users: [String: User] = [:]
}
