import FloodControl
import ParleyProtocol
import Synchronization

@testable import Channels

/// The home of the channel "lobby" on a server: its judge, its roster, and the log's open requests.
final class SimulatedHome {
  private enum Request {
    case entry(EntryID, LogEntry)
    case read(EntryID, LogRead)
  }

  /// The limits of all homes.
  struct Limits {
    let flood: RateLimit
    let throttle: RateLimit
  }

  let server: UInt16
  let limits: Limits
  var presence: ChannelHome
  private var judge: ChannelJudge
  private let state: ChannelState
  private var requests: [Request] = []
  var presenceTime: Int64?
  /// Whether the server knows that another home follows.
  var isReleased = false

  /// Takes the channel over.
  init?(
    on server: UInt16, _ log: inout MemoryLogContents, _ limits: Limits, _ ids: MessageNumbers,
    awaiting awaited: Set<UInt16>, at now: Int64
  ) {
    guard case .success(.channel(let state)) = log.perform(.takeOver(url: "lobby")),
      case .success(.read(.sends(let sends))) = log.answer(
        .sends(channelID: state.id, after: now - limits.flood.windowMilliseconds, limit: 1_000))
    else { return nil }
    self.server = server
    self.limits = limits
    self.state = state
    presence = ChannelHome(url: "lobby", server: server, awaiting: awaited)
    judge = ChannelJudge(
      state, recentSends: sends, floodLimit: limits.flood,
      loadedAt: Moment(unix: now, monotonic: now),
      sources: JudgeSources(nextMessageID: { _ in ids.next() }, lookUpPreview: nil))
  }

  var channel: Channel { judge.channel }
  var channelID: Int64 { state.id }
  var lastSeq: Int64 { judge.lastSeq }
  var isSettled: Bool { requests.isEmpty }

  func mayEnter(_ userID: String, at now: Int64) -> Bool {
    (try? judge.requireEntering(userID, at: now)) != nil
  }

  var start: StageStart {
    StageStart(
      channel: judge.channel, channelID: state.id, epoch: state.epoch, seq: judge.lastSeq,
      throttleLimit: limits.throttle, announced: presence.announced)
  }

  var stage: AttachedStage {
    AttachedStage(
      ChannelStage(
        judge.channel, epoch: state.epoch, lastSeq: judge.lastSeq,
        throttleLimit: limits.throttle, server: server), url: "lobby")
  }

  /// Gives the judge an input.
  ///
  /// - Returns: What is to be done beside asking the log.
  func handle(_ input: JudgeInput, at now: Moment) -> [JudgeAction] {
    var actions = JudgeActions()
    judge.handle(input, at: now, into: &actions)
    var rest: [JudgeAction] = []
    while let action = actions.next() {
      switch action {
      case .submit(let id, let entry): requests.append(.entry(id, entry))
      case .read(let id, let read): requests.append(.read(id, read))
      case .answer, .publish, .release: rest.append(action)
      case .measure, .pass, .post, .mention, .notify, .notifyMember, .noteReading,
        .notifyMembers, .reportMemberCount, .enrich, .ask, .noteHook, .handOver, .renewLimits,
        .wake:
        break
      }
    }
    _ = actions.takeTally()
    return rest
  }

  /// Lets the log carry out the oldest request.
  func answerLog(_ log: inout MemoryLogContents, at now: Moment) -> [JudgeAction] {
    guard !requests.isEmpty else { return [] }
    switch requests.removeFirst() {
    case .entry(let id, let entry): return handle(.logged(id, log.perform(entry)), at: now)
    case .read(let id, let read): return handle(.logged(id, log.answer(read)), at: now)
    }
  }

  /// Ends with the first of the open requests carried out, as a crash does.
  func crash(_ count: Int, _ log: inout MemoryLogContents) {
    for case .entry(_, let entry) in requests.prefix(count) { _ = log.perform(entry) }
    requests = []
  }
}

/// Makes ids for messages.
final class MessageNumbers: Sendable {
  private let last = Mutex<Int64>(0)

  func next() -> Int64 {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
