import Channels
import ParleyProtocol
import ShardMessages

/// The sends of a session to a channel, which keep their order.
struct SendLane: Hashable {
  let session: SessionAddress
  let channelURL: String
}

/// The lanes whose sends wait for others before them.
///
/// When a send was lost or has met no home, or the home is another, those behind it wait until it is
/// answered: on another way they could overtake it. A pure value.
struct SlowLanes {
  private enum Progress {
    /// No home has answered what was sent after a transmission: one send at a time is under way.
    case waiting(after: UInt64)
    /// A home has answered: when nothing is under way, all others follow on one way.
    case answered
  }

  /// Those that are over are taken out with the next repetitions: to look for them at each answer would
  /// mean to look at all calls.
  private var progress: [SendLane: Progress] = [:]
  /// Whether a send was answered since ``takeDue(of:at:)`` was last called.
  private(set) var mayGoOn = false

  /// The lane of a call, if it is among these.
  func lane(of call: PendingCalls.Call) -> SendLane? {
    guard !progress.isEmpty, let lane = call.lane, progress[lane] != nil else { return nil }
    return lane
  }

  /// Takes a lane in, or takes note that its next send is uncertain again.
  ///
  /// - Parameter transmission: The last that may be on the old way.
  mutating func add(_ lane: SendLane, after transmission: UInt64) {
    progress[lane] = .waiting(after: transmission)
  }

  /// Takes note of the answer of a home to a send.
  mutating func didAnswer(_ call: PendingCalls.Call) {
    guard let lane = lane(of: call) else { return }
    mayGoOn = true
    // An answer of a former home says nothing of the present one.
    if case .waiting(let slowed) = progress[lane], call.transmission > slowed {
      progress[lane] = .answered
    }
  }

  /// Takes note that a send has ended which no home has answered.
  mutating func didGiveUp(_ call: PendingCalls.Call) {
    if lane(of: call) != nil { mayGoOn = true }
  }

  /// The calls that are to be sent again now, in their order.
  mutating func takeDue(
    of calls: some Sequence<PendingCalls.Call>, at now: Int64
  ) -> [PendingCalls.Call] {
    mayGoOn = false
    /// The lanes that have a send which those behind it wait for.
    var closed: Set<SendLane> = []
    var candidates: [PendingCalls.Call] = []
    for call in calls {
      if call.repetition != nil {
        candidates.append(call)
      } else if let lane = lane(of: call) {
        closed.insert(lane)
      }
    }
    candidates.sort { $0.number < $1.number }
    var due: [PendingCalls.Call] = []
    for call in candidates {
      let lane = lane(of: call)
      if let lane, closed.contains(lane) { continue }
      let isDue = call.repetition.map { $0 <= now } ?? false
      if isDue { due.append(call) }
      if let lane, !isDue || isWaiting(lane) { closed.insert(lane) }
    }
    progress = progress.filter { closed.contains($0.key) }
    return due
  }

  private func isWaiting(_ lane: SendLane) -> Bool {
    if case .waiting = progress[lane] { true } else { false }
  }
}

extension PendingCalls.Call {
  /// The lane of a send; `nil` for another call.
  var lane: SendLane? {
    guard case .channel(let url, .command(.send, _, let reply)) = message else { return nil }
    return SendLane(session: reply.session, channelURL: url)
  }
}
