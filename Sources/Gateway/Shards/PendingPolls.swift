import Channels
import Reactor

/// Questions to several shards that are not completely answered.
struct PendingPolls {
  /// Receives the answers in the order of the shards that were asked.
  typealias Completion = ([ShardAnswer]) -> Void

  private struct Poll {
    var answers: [ShardAnswer?]
    var missingCount: Int
    let completion: Completion
  }

  private var polls: [UInt64: Poll] = [:]
  private var lastNumber: UInt64 = 0

  /// Registers a question to a number of shards.
  ///
  /// - Returns: The number of the poll.
  mutating func begin(parts: Int, _ completion: @escaping Completion) -> UInt64 {
    lastNumber += 1
    polls[lastNumber] = Poll(
      answers: Array(repeating: nil, count: parts), missingCount: parts, completion: completion)
    return lastNumber
  }

  /// Records an answer.
  ///
  /// An unexpected answer is ignored.
  ///
  /// - Returns: All answers and the completion that waits for them, after the last answer.
  mutating func take(
    _ answer: ShardAnswer, to address: PollAddress
  ) -> (answers: [ShardAnswer], completion: Completion)? {
    let part = Int(address.part)
    guard var poll = polls[address.number], poll.answers.indices.contains(part),
      poll.answers[part] == nil
    else { return nil }
    poll.answers[part] = answer
    poll.missingCount -= 1
    guard poll.missingCount == 0 else {
      polls[address.number] = poll
      return nil
    }
    polls[address.number] = nil
    return (poll.answers.compactMap(\.self), poll.completion)
  }

  /// Ends a poll whose time limit has passed.
  ///
  /// - Returns: The received answers and the completion; `nil` when all had already been received.
  mutating func end(_ number: UInt64) -> (answers: [ShardAnswer], completion: Completion)? {
    guard let poll = polls.removeValue(forKey: number) else { return nil }
    return (poll.answers.compactMap(\.self), poll.completion)
  }
}

extension Shard {
  /// Asks some shards of this server and some other servers, each at most once.
  ///
  /// - Parameters:
  ///   - servers: The numbers of the other servers. All of their shards are asked.
  ///   - time: The time to wait for answers of other servers, in milliseconds.
  ///   - completion: Receives the answers in the order of the shards, then of the servers, without late
  ///     answers. Called once, on this shard.
  func ask(
    _ question: ShardQuestion, of shards: [ShardHandle], _ servers: [UInt16] = [],
    within time: Int64 = 1_000, then completion: @escaping PendingPolls.Completion
  ) {
    let count = shards.count + servers.count
    poll(count: count, within: servers.isEmpty ? nil : time) { part, address in
      if part < shards.count {
        return .shard(shards[part].address, .ask(question, replyTo: address))
      }
      let receiver = ShardAddress(server: servers[part - shards.count], shard: 0)
      return .shard(receiver, .askServer(question, replyTo: address))
    } then: {
      completion($0)
    }
  }

  /// Sends messages whose answers are sent to poll addresses.
  ///
  /// - Parameters:
  ///   - time: The time to wait for answers, in milliseconds; `nil` to wait for all.
  ///   - message: Creates the message for a part.
  ///   - completion: As for asking shards.
  func poll(
    count: Int, within time: Int64?, _ message: (Int, PollAddress) -> ShardMessage,
    then completion: @escaping PendingPolls.Completion
  ) {
    guard count > 0 else { return completion([]) }
    let number = polls.begin(parts: count, completion)
    for part in 0..<count {
      let address = PollAddress(shard: handle.address, number: number, part: UInt16(part))
      send(message(part, address))
    }
    if let time { _ = loop.schedule(after: time, PollDeadline(number, on: self)) }
  }

  /// Asks all shards of all servers.
  func askAll(_ question: ShardQuestion, then completion: @escaping PendingPolls.Completion) {
    ask(question, of: services.shards.handles, edge?.routes.otherServers ?? [], then: completion)
  }

  /// Answers a question of a shard.
  func answer(_ question: ShardQuestion, to address: PollAddress) {
    if case .cover(let seat, let urls) = question {
      return cover(seat, groups: urls, replyTo: address)
    }
    let answer: ShardAnswer =
      switch question {
      case .online(let ids): .online(ids.filter { users.isOnline($0) })
      case .sessions(let query): .sessions(sessions(query))
      case .close(let sessionID): .closed(userID: closeSession(sessionID))
      case .connections: .connections([connectionCount])
      case .participantCounts(let urls):
        .participantCounts(urls.map { services.participantCounts[$0] })
      case .fullestChannels(let limit, let position):
        .fullestChannels(fullestChannels(limit, after: position))
      case .awaitedSends(let url): .awaitedSends(edge?.calls.awaitedSends(toChannel: url) ?? [])
      case .busiestChannels(let limit): .busiestChannels(busiestChannels(limit))
      case .seats(let userIDs): .seats(seats(of: userIDs))
      // Answered once the groups that are being read are in memory.
      case .cover: .covered(false)
      }
    send(.shard(address.shard, .answer(answer, to: address)))
  }

  /// Answers a question of another server's shard with the answers of all shards of this server.
  func answerForServer(_ question: ShardQuestion, to address: PollAddress) {
    // The counts are in memory that all shards share.
    switch question {
    case .participantCounts, .fullestChannels: answer(question, to: address)
    case .online, .sessions, .close, .connections, .awaitedSends, .busiestChannels, .seats, .cover:
      ask(question, of: services.shards.handles) { [unowned self] answers in
        let answer = ShardAnswer(answers, to: question)
        send(.shard(address.shard, .answer(answer, to: address)))
      }
    }
  }

  func take(_ answer: ShardAnswer, to address: PollAddress) {
    guard let (answers, completion) = polls.take(answer, to: address) else { return }
    completion(answers)
  }

  func endPoll(_ number: UInt64) {
    guard let (answers, completion) = polls.end(number) else { return }
    services.relayCounts.add(to: .lateAnswers)
    completion(answers)
  }
}

/// The time limit of a poll of other servers.
private final class PollDeadline: TimerHandler {
  private unowned let shard: Shard
  private let number: UInt64

  init(_ number: UInt64, on shard: Shard) {
    self.number = number
    self.shard = shard
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { shard.endPoll(number) }
}

extension ShardAnswer {
  /// The answers of several shards, combined into one.
  fileprivate init(_ answers: [ShardAnswer], to question: ShardQuestion) {
    var (ids, sessions): ([String], [SessionSummary]) = ([], [])
    var (connections, numbers): ([ConnectionCount], [Int]) = ([], [])
    var sends: [AwaitedSend] = []
    var traffic: [ChannelTraffic] = []
    var counted: [CountedChannel] = []
    var seats: [Seat] = []
    var closedUserID: String?
    var isCovered = true
    for answer in answers {
      switch answer {
      case .online(let some): ids += some
      case .sessions(let some): sessions += some
      case .closed(let userID): closedUserID = closedUserID ?? userID
      case .connections(let some): connections += some
      case .participantCounts(let some): numbers += some
      case .fullestChannels(let some): counted += some
      case .awaitedSends(let some): sends += some
      case .busiestChannels(let some): traffic += some
      case .seats(let some): seats += some
      case .covered(let isComplete): isCovered = isCovered && isComplete
      case .dismissed, .outcome, .channels, .recovered: break
      }
    }
    switch question {
    case .online: self = .online(ids)
    case .sessions(let query):
      sessions.sort { $0.id < $1.id }
      self = .sessions(Array(sessions.prefix(query.limit + 1)))
    case .close: self = .closed(userID: closedUserID)
    case .connections: self = .connections(connections)
    case .participantCounts: self = .participantCounts(numbers)
    case .fullestChannels: self = .fullestChannels(counted)
    case .awaitedSends: self = .awaitedSends(sends)
    case .seats: self = .seats(seats)
    case .cover: self = .covered(isCovered)
    case .busiestChannels(let limit):
      self = .busiestChannels(ChannelTraffic.busiest(of: traffic, limit: limit))
    }
  }
}
