@testable import Channels

/// The queues between three servers, from which a test delivers and which it cuts.
///
/// They keep the promise of a link (`LinkSimulationTests`): messages come once and in order, or both sides
/// learn that they may be lost.
final class SimulatedLinks {
  private var queues: [[[SimulatedMail]]] = Array(
    repeating: Array(repeating: [], count: 3), count: 3)

  /// Whether nothing is under way.
  var isEmpty: Bool { queues.allSatisfy { $0.allSatisfy(\.isEmpty) } }

  /// Whether nothing is under way from one server to another.
  func isEmpty(from sender: UInt16, to receiver: UInt16) -> Bool {
    queues[Int(sender)][Int(receiver)].isEmpty
  }

  func append(_ mail: SimulatedMail, from sender: UInt16, to receiver: UInt16) {
    queues[Int(sender)][Int(receiver)].append(mail)
  }

  /// Takes out the first message from one server to another.
  func takeFirst(from sender: UInt16, to receiver: UInt16) -> SimulatedMail? {
    guard !isEmpty(from: sender, to: receiver) else { return nil }
    return queues[Int(sender)][Int(receiver)].removeFirst()
  }

  /// Loses what is under way between two servers.
  func cut(_ one: UInt16, _ other: UInt16) {
    queues[Int(one)][Int(other)] = []
    queues[Int(other)][Int(one)] = []
  }

  /// Loses what is under way from and to a server.
  func cutOff(_ server: UInt16) {
    for peer in queues.indices { cut(server, UInt16(peer)) }
  }
}

/// A message from one server to another, or to itself.
enum SimulatedMail {
  case report(StageReport, StageAddress)
  case news([StageNews], attachment: UInt64)
  /// All stages of a server have been reported to the homes of a ring.
  case reported(ring: Int)
  case send(SimulatedCall)
  case answer(ReplyAddress, CallOutcome, after: Int64)
  /// The receiver of a call is not the channel's home.
  case moved(SimulatedCall)

  /// Whether the channel's home takes it, and no other part of a server.
  var isForHome: Bool {
    switch self {
    case .report, .reported, .send: true
    case .news, .answer, .moved: false
    }
  }
}
