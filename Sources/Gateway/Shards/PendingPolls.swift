import ShardMessages

/// Questions to several shards of which some have not been answered.
struct PendingPolls {
  /// Takes the answers in the order of the shards that were asked.
  typealias Completion = ([ShardAnswer]) -> Void

  private struct Poll {
    var answers: [ShardAnswer?]
    var missingCount: Int
    let completion: Completion
  }

  private var polls: [UInt64: Poll] = [:]
  private var lastNumber: UInt64 = 0

  /// Keeps a question to a number of shards.
  ///
  /// - Returns: The number of the poll.
  mutating func begin(parts: Int, _ completion: @escaping Completion) -> UInt64 {
    lastNumber += 1
    polls[lastNumber] = Poll(
      answers: Array(repeating: nil, count: parts), missingCount: parts, completion: completion)
    return lastNumber
  }

  /// Takes an answer; one that is not awaited is passed over.
  ///
  /// - Returns: All answers and the completion that waits for them, with the last answer.
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
}

extension Shard {
  /// Asks some shards, each at most once.
  ///
  /// - Parameter completion: Takes the answers in the order of the shards; called once, on this
  ///   shard.
  func ask(
    _ question: ShardQuestion, of shards: [ShardHandle],
    then completion: @escaping PendingPolls.Completion
  ) {
    guard !shards.isEmpty else { return completion([]) }
    let number = polls.begin(parts: shards.count, completion)
    for (part, shard) in shards.enumerated() {
      let address = PollAddress(shard: handle.address, number: number, part: UInt16(part))
      send(.shard(shard.address, .ask(question, replyTo: address)))
    }
  }

  /// Answers a question of a shard.
  func answer(_ question: ShardQuestion, to address: PollAddress) {
    let answer: ShardAnswer =
      switch question {
      case .online(let ids): .online(ids.filter { users.isOnline($0) })
      case .sessions(let query): .sessions(sessions(query))
      case .close(let sessionID): .closed(closeSession(sessionID))
      case .connections: .connections(connectionCount)
      }
    send(.shard(address.shard, .answer(answer, to: address)))
  }

  func take(_ answer: ShardAnswer, to address: PollAddress) {
    guard let (answers, completion) = polls.take(answer, to: address) else { return }
    completion(answers)
  }
}
