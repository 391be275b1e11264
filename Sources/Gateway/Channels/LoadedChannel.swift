import Channels
import FloodControl
import ParleyProtocol
import Store

/// A channel as it was read from the store, with the initial sends of its flood windows.
struct LoadedChannel: Sendable {
  /// The maximum number of newest sends that are read.
  static let sendLimit = 20_000

  /// Without the members of a group.
  let state: ChannelState
  /// The members of a group.
  let members: Members?
  /// The users' messages of the last flood window, oldest first.
  var recentSends: [RecentSend] = []
  /// The time of the read: no send from this time on is missing.
  let time: Moment

  /// Makes the table of a group's members, which takes a while if there are many.
  init(state: ChannelState, recentSends: [RecentSend] = [], time: Moment) {
    members = Members(state)
    var state = state
    state.members = []
    self.state = state
    self.recentSends = recentSends
    self.time = time
  }
}

extension LoadedChannel {
  /// Reads a channel into memory; `nil` when no channel has this URL.
  ///
  /// An ephemeral channel has no messages, so its flood windows begin empty. The windows of changes
  /// begin empty in every channel. The two reads need no common snapshot: a channel that is not in
  /// memory has no judge, so it receives no sends between them.
  ///
  /// - Parameter completion: Called once, on any thread.
  static func read(
    _ url: String, from log: any MessageLog, _ limits: LimitTable, at now: Moment,
    _ completion: @escaping @Sendable (Result<LoadedChannel?, ServiceError>) -> Void
  ) {
    log.read(.channel(url: url)) { result in
      switch result {
      case .failure(let error): completion(.failure(ServiceError(error)))
      case .success(.channel(nil)): completion(.success(nil))
      case .success(.channel(let state?)):
        LoadedChannel(state: state, time: now).readSends(from: log, limits, completion)
      case .success: completion(.failure(ServiceError(LogError.notOfThisRead)))
      }
    }
  }

  /// Reads a channel that was taken over.
  ///
  /// - Parameters:
  ///   - result: The log's answer to the entry.
  ///   - now: The time after the answer.
  static func read(
    _ result: LogResult, from log: any MessageLog, _ limits: LimitTable, at now: Moment,
    _ completion: @escaping @Sendable (Result<LoadedChannel?, ServiceError>) -> Void
  ) {
    switch result {
    case .failure(let error): completion(.failure(ServiceError(error)))
    case .success(.absent): completion(.success(nil))
    case .success(.channel(let state)):
      LoadedChannel(state: state, time: now).readSends(from: log, limits, completion)
    case .success: completion(.failure(ServiceError(LogError.notOfThisRead)))
    }
  }

  private func readSends(
    from log: any MessageLog, _ limits: LimitTable,
    _ completion: @escaping @Sendable (Result<LoadedChannel?, ServiceError>) -> Void
  ) {
    let flood = limits.floodLimit(of: state)
    guard !flood.isOff, !state.channel.isEphemeral else { return completion(.success(self)) }
    // The clock may have been set back since the newest message.
    let end = max(time.unix, state.lastCreatedAt)
    let read = LogRead.sends(
      channelID: state.id, after: end - flood.windowMilliseconds, limit: Self.sendLimit)
    log.read(read) { result in
      switch result {
      case .failure(let error): completion(.failure(ServiceError(error)))
      case .success(.sends(let sends)):
        var loaded = self
        loaded.recentSends = sends
        completion(.success(loaded))
      case .success: completion(.failure(ServiceError(LogError.notOfThisRead)))
      }
    }
  }
}

extension LoadedChannel {
  /// The estimated bytes that the channel takes in memory.
  var byteCount: Int {
    let channel = state.channel
    let texts = [channel.url, channel.name, channel.coverURL, channel.data, channel.customType]
    var count = Self.emptyByteCount + recentSends.count * Self.itemByteCount
    count += members?.byteCount ?? 0
    for text in texts { count += text.utf8.count }
    count += Self.byteCount(of: channel.metadata)
    for user in channel.operators {
      count += Self.itemByteCount + user.id.utf8.count + user.nickname.utf8.count
      count += user.profileURL.utf8.count + Self.byteCount(of: user.metadata)
    }
    for restrictions in [state.bans, state.mutes] {
      for (userID, restriction) in restrictions {
        count += Self.itemByteCount + userID.utf8.count + restriction.description.utf8.count
      }
    }
    return count
  }

  /// The bytes of a channel without any texts: its judge, its stage and its home.
  private static let emptyByteCount = 4_096
  /// The bytes of a table entry without its texts.
  private static let itemByteCount = 128

  private static func byteCount(of metadata: [String: String]) -> Int {
    metadata.reduce(0) { $0 + itemByteCount + $1.key.utf8.count + $1.value.utf8.count }
  }
}

/// An event that was published.
struct KnownEvent: Sendable {
  let epoch: String
  let seq: Int64
}
