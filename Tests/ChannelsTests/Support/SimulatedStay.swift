import ParleyProtocol

@testable import Channels

/// The time that a connection was in the channel, and what it was sent.
final class SimulatedStay {
  let session: SessionAddress
  let user: String
  /// The position that it asked to recover from.
  let asked: Int64?
  /// The connections of its user on its server that had left when it asked.
  let former: Set<SessionAddress>
  /// The last event before it.
  private(set) var start: Int64?
  private(set) var count = 0
  /// The last event that its client had seen, when the missed ones were recovered.
  private(set) var position: Int64?
  /// The numbers of the messages among the recovered events.
  private(set) var recovered: [Int64] = []
  /// The other connections of its user that were in the channel on its server when it entered.
  private(set) var others: [SimulatedStay] = []
  /// The same, and those that left while it waited to enter.
  private(set) var predecessors: [SimulatedStay] = []
  /// The numbers of the events that it was sent.
  private(set) var seqs: [Int64] = []
  /// The ranges of messages that it was notified of as withheld.
  private(set) var withheld: [ClosedRange<Int64>] = []
  /// Whether each user was last said to have entered.
  private(set) var notices: [String: Bool] = [:]
  var hasEnded = false

  init(
    _ session: SessionAddress, _ user: String, recover position: Int64?,
    after stays: [SimulatedStay]
  ) {
    self.session = session
    self.user = user
    asked = position
    former = Set(stays.filter { $0.user == user && $0.hasEnded }.map(\.session))
  }

  /// Takes the answer by which it enters.
  ///
  /// - Parameter stays: All that there have been.
  func enter(_ answer: JSONNode, among stays: [SimulatedStay]) {
    predecessors = stays.filter {
      $0.user == user && $0.session.server == session.server && $0.start != nil
        && !former.contains($0.session)
    }
    others = predecessors.filter { !$0.hasEnded }
    start = answer["seq"]?.integer
    if answer["recovered"]?.bool == true {
      position = asked
      recovered = (answer["events"].map { Array($0.elements) } ?? []).compactMap { event in
        event["method"]?.string == "message.received" ? event["params"]?["seq"]?.integer : nil
      }
    }
    count = Int(answer["participant_count"]?.integer ?? -1)
  }

  /// Takes an event.
  func take(_ event: JSONNode) {
    let params = event["params"]
    if let seq = params?["seq"]?.integer { seqs.append(seq) }
    if let user = params?["user"]?["user_id"]?.string {
      switch event["method"]?.string {
      case "channel.user_entered": notices[user] = true
      case "channel.user_exited": notices[user] = false
      case _: break
      }
    }
    if event["method"]?.string == "channel.throttled",
      let first = params?["first_message_id"]?.integer,
      let last = params?["last_message_id"]?.integer
    {
      withheld.append(first...last)
    }
  }
}
