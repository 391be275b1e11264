import Channels
import ParleyProtocol

/// The sends of a session to a channel, which keep their order.
struct SendLane: Hashable {
  let session: SessionAddress
  let channelURL: String
}

/// The lanes whose sends wait for earlier ones.
///
/// When a send was lost or found no home, or the home has changed, later sends wait until that send
/// is answered: on another route they could overtake it. A pure value.
struct SlowLanes {
  private enum Progress {
    /// No home has answered a send after this transmission: one send at a time is in flight.
    case waiting(after: UInt64)
    /// A home has answered: once nothing is in flight, all other sends follow on one route.
    case answered
  }

  /// Finished lanes are removed with the next repetitions: finding them at each answer would
  /// require a scan of all calls.
  private var progress: [SendLane: Progress] = [:]
  /// Whether a send was answered since ``takeDue(of:at:)`` was last called.
  private(set) var mayGoOn = false

  /// The lane of a call, if it is one of these.
  func lane(of call: PendingCalls.Call) -> SendLane? {
    guard !progress.isEmpty, let lane = call.lane, progress[lane] != nil else { return nil }
    return lane
  }

  /// Adds a lane, or notes that its next send is uncertain again.
  ///
  /// - Parameter transmission: The last transmission that may be on the old route.
  mutating func add(_ lane: SendLane, after transmission: UInt64) {
    progress[lane] = .waiting(after: transmission)
  }

  /// Notes a home's answer to a send.
  mutating func didAnswer(_ call: PendingCalls.Call) {
    guard let lane = lane(of: call) else { return }
    mayGoOn = true
    // An answer of a former home says nothing about the current one.
    if case .waiting(let slowed) = progress[lane], call.transmission > slowed {
      progress[lane] = .answered
    }
  }

  /// Notes that a send has ended without an answer from a home.
  mutating func didGiveUp(_ call: PendingCalls.Call) {
    if lane(of: call) != nil { mayGoOn = true }
  }

  /// Takes the calls that are due to be sent again, in order.
  mutating func takeDue(
    of calls: some Sequence<PendingCalls.Call>, at now: Int64
  ) -> [PendingCalls.Call] {
    mayGoOn = false
    /// The lanes with a send that later ones wait for.
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
