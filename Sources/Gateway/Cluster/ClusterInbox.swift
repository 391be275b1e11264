import Cluster
import Channels
import Logging
import Reactor
import Synchronization

/// Receives messages from other servers, and passes them to the shards of this one.
///
/// A message for a channel or a user that is not at home here is passed on, up to
/// ``RelayedMessage/passLimit`` times. Messages thus reach their home while servers' views of the
/// ring differ; a call that finds no home is answered with ``ServiceError/moved``.
final class ClusterInbox: ClusterDelegate {
  /// The shards of this server, once they exist.
  private struct Target {
    let shards: ShardSet
    let network: any ClusterNetwork
  }

  private enum State {
    /// The events that arrived before the shards existed.
    case closed([Event])
    case open(Target)
  }

  private enum Event {
    case message([UInt8], from: ServerID)
    case reset(ServerID, count: Int)
    case ring
    case silence(Set<ServerID>)
    case leave(reason: String)
  }

  let figures = RelayCounts()
  private let logger: Logger
  private let state = Mutex(State.closed([]))
  /// Servers whose messages could not be decoded; each is logged once.
  private let strangers = Mutex<Set<ServerID>>([])
  private let passed: Mutex<PassedCalls>
  /// The servers that are silent.
  private let silent = Mutex<Set<ServerID>>([])

  /// - Parameter callTimeout: Milliseconds that a call may take.
  init(callTimeout: Int64, logger: Logger) {
    passed = Mutex(PassedCalls(timeout: callTimeout))
    self.logger = logger
  }

  /// Starts passing events to the shards, beginning with those that have already arrived.
  func open(_ shards: ShardSet, _ network: any ClusterNetwork) {
    let target = Target(shards: shards, network: network)
    state.withLock { state in
      if case .closed(let events) = state { for event in events { handle(event, target) } }
      handle(.ring, target)
      state = .open(target)
    }
    didReceiveAll()
  }

  func received(_ message: [UInt8], from server: ServerID) { take(.message(message, from: server)) }

  func didReceiveAll() {
    let shards: ShardSet? = state.withLock { state in
      if case .open(let target) = state { target.shards } else { nil }
    }
    shards?.wake()
  }

  func linkWasReset(with server: ServerID, count: Int) { take(.reset(server, count: count)) }

  func ringDidChange(_ ring: ServerRing) { take(.ring) }

  func silenceDidChange(_ servers: Set<ServerID>) { take(.silence(servers)) }

  func mustLeave(reason: String) { take(.leave(reason: reason)) }

  private func take(_ event: Event) {
    let target: Target? = state.withLock { state in
      switch state {
      case .open(let target): return target
      case .closed(var events):
        // The list is appended to in place, so nothing else may refer to it.
        state = .closed([])
        events.append(event)
        state = .closed(events)
        return nil
      }
    }
    if let target { handle(event, target) }
  }

  private func handle(_ event: Event, _ target: Target) {
    switch event {
    case .message(let bytes, let server): receive(bytes, from: server, target)
    case .reset(let server, let count):
      target.shards.sendToAll(LocalMessage.linkWasReset(server, count: count))
      answerLost(target) { $0 == server }
    case .ring:
      target.shards.sendToAll(LocalMessage.ringDidChange)
      answerLost(target)
    case .silence(let servers):
      silent.withLock { $0 = servers }
      target.shards.sendToAll(LocalMessage.silenceDidChange(servers))
      answerLost(target)
    case .leave(let reason): target.shards.sendToAll(LocalMessage.leaveCluster(reason: reason))
    }
  }

  private func receive(_ bytes: [UInt8], from server: ServerID, _ target: Target) {
    do throws(MessageDecodingError) {
      deliver(try RelayedMessage(decoding: bytes), target)
    } catch {
      figures.add(to: .unreadable)
      guard strangers.withLock({ $0.insert(server).inserted }) else { return }
      logger.error(
        "messages of another server cannot be read; is it of another version?",
        metadata: ["server": "\(server)", "reason": "\(error)"])
    }
  }

  private func deliver(_ relayed: RelayedMessage, _ target: Target) {
    let message = relayed.message.arriving(at: SystemClock.monotonicNanoseconds)
    let (shards, network) = (target.shards, target.network)
    guard shards.hasShards(for: message) else { return figures.add(to: .unreadable) }
    guard !message.isForAddresseeAlone else {
      return enqueue(message, shards)
    }
    switch shards.residence(of: message, in: network.ring, seenBy: network.local) {
    case .here: enqueue(message, shards)
    case .nowhere: figures.add(to: .lost)
    case .there(let next) where relayed.passCount < RelayedMessage.passLimit:
      figures.add(to: .passedOn)
      passed.withLock { $0.note(message, to: next, at: SystemClock.monotonicMilliseconds) }
      let further = RelayedMessage(message, passCount: relayed.passCount + 1)
      network.send(further.encoded(), to: next)
    case .there:
      figures.add(to: .lost)
      if let refusal = message.callAddress?.answer(.failure(.moved)) { shards.send(refusal) }
    }
  }

  private func enqueue(_ message: ShardMessage, _ shards: ShardSet) {
    shards.receiver(of: message)?.enqueue(.message(message))
  }

  /// Answers the calls that were passed on to servers that are gone, or are silent and no longer homes.
  private func answerLost(_ target: Target) {
    let (ring, silent) = (target.network.ring, silent.withLock(\.self))
    answerLost(target) { ring.hasLost($0, silent: silent) }
  }

  /// Answers the calls that were passed on to lost servers.
  private func answerLost(_ target: Target, where isLost: (ServerID) -> Bool) {
    let now = SystemClock.monotonicMilliseconds
    let answers = passed.withLock { $0.lose(at: now, where: isLost) }
    for answer in answers { target.shards.send(answer) }
  }
}

/// Counts of messages and calls between servers.
final class RelayCounts: Sendable {
  enum Figure: Int, CaseIterable {
    /// Messages in a form that this version does not know.
    case unreadable
    /// Messages for a channel or user whose home is another server.
    case passedOn
    /// Messages that found no receiver.
    case lost
    /// Calls that were sent again.
    case repeated
    /// Calls that another server did not answer in time, or can no longer answer.
    case unanswered
    /// Answers with which the outcome of a call stays unknown to the caller.
    case unknownOutcomes
    /// Questions to other servers that were not answered in time.
    case lateAnswers
    /// Channels read from the database to be judged here, after another home or after a while.
    case loaded
    /// Writes refused because another server had taken the channel over.
    case fenced
  }

  private final class Count: Sendable {
    let value = Atomic(0)
  }

  private let counts = Figure.allCases.map { _ in Count() }

  func add(_ number: Int = 1, to figure: Figure) {
    counts[figure.rawValue].value.add(number, ordering: .relaxed)
  }

  subscript(figure: Figure) -> Int { counts[figure.rawValue].value.load(ordering: .relaxed) }
}
