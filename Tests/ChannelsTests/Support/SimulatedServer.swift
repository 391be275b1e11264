@testable import Channels

/// A server: its stage of the channel, the channel's home if it is here, and the calls of its clients.
final class SimulatedServer {
  let number: UInt16
  var stage: AttachedStage?
  var attachment: UInt64 = 0
  /// The home that the server knows, and since which change.
  var home: UInt16 = 0
  var ring = 0
  var wakeTime: Int64?
  var attachTime: Int64?
  /// Reads that are not answered.
  var reads: [SimulatedRead] = []
  /// The channel's home, if it is here.
  var host: SimulatedHome?
  /// The take-over of the channel that the log has not carried out.
  var takeOver: SimulatedTakeOver?
  /// Homes that were here, and wait for the log.
  var retired: [SimulatedHome] = []
  /// The calls that are not answered, and those of them that have to be sent again.
  var calls: [Int: SimulatedCall] = [:]
  var repetitions: Set<Int> = []

  init(_ number: UInt16) { self.number = number }

  /// Whether there is a stage that is attached to a home, if on this server.
  var isAttached: Bool { stage?.isBesideHome == false }

  /// Whether there is a stage that the home uses directly.
  var isBesideHome: Bool { stage?.isBesideHome == true }

  /// Whether it waits for nothing.
  var isQuiet: Bool {
    reads.isEmpty && attachTime == nil && calls.isEmpty && takeOver == nil
      && (host?.isSettled ?? true) && retired.allSatisfy(\.isSettled)
  }

  /// The homes that wait for the log, or may.
  var hosts: [SimulatedHome] { retired + [host].compactMap(\.self) }

  /// The address of the stage as it is attached now.
  var address: StageAddress { StageAddress(server: number, attachment: attachment) }

  /// The sends that were not answered.
  var awaitedSends: [AwaitedSend] { calls.keys.sorted().compactMap { calls[$0]?.awaited } }

  /// Forgets everything, as a crash does.
  func reset() {
    stage = nil
    (wakeTime, attachTime) = (nil, nil)
    reads = []
    calls = [:]
    repetitions = []
    host = nil
    takeOver = nil
    retired = []
  }
}

/// A take-over that was asked for.
struct SimulatedTakeOver {
  /// The change of the homes that it belongs to.
  let ring: Int
  /// When the log carries it out.
  let time: Int64
  /// Inputs that wait for the channel, in their order.
  var waiters: [() -> Void] = []
}

/// A read of a stage that the log has not answered.
enum SimulatedRead {
  case recovered(Int, after: Int64)
  case repaired(UInt64, after: Int64, [AwaitedSend])
}
