/// Monitors one server by messages that a bus sends to itself.
///
///     bus ── probe ──► server ── answer ──► bus        within the patience, else: no answer
///                      server ── echo ────► bus        within the patience, else: silent or deaf
///
/// A slow server is not dead: any data on a connection proves that the server is alive.
struct EchoWatch {
  /// The milliseconds without a sign of life after which a connection counts as dead.
  static let patience: Int64 = 1400
  /// The interval of probes, in milliseconds.
  static let interval: Int64 = 500
  /// The milliseconds after which an echo is missing although other messages arrive.
  static let deafness: Int64 = 10_000

  /// A reason to give the server up.
  enum Fault: String {
    case noAnswer = "it does not answer"
    case silence = "it delivers nothing, not even this server's own messages"
    case deafness = "it does not deliver this server's own messages"
  }

  private var sent: UInt64 = 0
  private var answered: UInt64 = 0
  private var heard: UInt64 = 0
  /// The last sign of life on the connection of answers, or the first probe after it.
  private var answerAwaitedSince: Int64?
  /// The last sign of life on the connection of messages, or the first answered probe after it.
  private var messageAwaitedSince: Int64?
  private var echoAwaitedSince: Int64?

  /// Whether an echo has arrived: messages flow in both directions.
  var isProven: Bool { heard > 0 }

  /// Returns the number that the next probe carries.
  mutating func probe(at now: Int64) -> UInt64 {
    sent += 1
    if answerAwaitedSince == nil { answerAwaitedSince = now }
    return sent
  }

  /// Records data on the connection that sends messages.
  mutating func showedLife(at now: Int64) {
    if answerAwaitedSince != nil { answerAwaitedSince = now }
  }

  /// Records that the server has accepted the oldest unanswered probe.
  mutating func wasAnswered(at now: Int64) {
    guard answered < sent else { return }
    answered += 1
    answerAwaitedSince = answered == sent ? nil : now
    guard heard < answered else { return }
    messageAwaitedSince = messageAwaitedSince ?? now
    echoAwaitedSince = echoAwaitedSince ?? now
  }

  /// Records data on the connection that receives messages.
  mutating func delivered(at now: Int64) {
    if messageAwaitedSince != nil { messageAwaitedSince = now }
  }

  /// Records that a probe came back.
  mutating func heard(_ number: UInt64, at now: Int64) {
    guard number > heard, number <= sent else { return }
    heard = number
    messageAwaitedSince = heard < answered ? now : nil
    echoAwaitedSince = messageAwaitedSince
  }

  /// Returns the fault of the server; `nil` if none is known.
  func fault(at now: Int64) -> Fault? {
    if let answerAwaitedSince, now - answerAwaitedSince > Self.patience { return .noAnswer }
    if let messageAwaitedSince, now - messageAwaitedSince > Self.patience { return .silence }
    if let echoAwaitedSince, now - echoAwaitedSince > Self.deafness { return .deafness }
    return nil
  }
}
