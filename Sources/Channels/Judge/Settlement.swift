import DequeModule
import ParleyProtocol

/// The search for the outcome of an entry whose commit broke off.
///
/// Until it is found, nothing else of the channel is decided: the events that follow have higher
/// numbers than the entry's own. Commands wait for one read. When it fails they are refused, and the
/// next command or the end of a pause leads to another read.
struct Settlement: Sendable {
  /// Milliseconds from a read that failed to the next.
  static let pause: Int64 = 500

  /// The step that an input leads to.
  enum Step {
    case wait
    /// Asks the log.
    case read
    /// The log could not be read: the calls that wait for the entry are answered.
    case fail
    /// The log has answered.
    case end(LogReading)
  }

  typealias Held = (input: JudgeInput, time: Moment)

  let entry: EntryID
  /// Whether a read is under way.
  private var isReading = true
  /// The inputs that came meanwhile.
  private var held: Deque<Held> = []

  init(_ entry: EntryID) { self.entry = entry }

  /// Takes an input.
  mutating func take(
    _ input: JudgeInput, at now: Moment, into actions: inout JudgeActions
  ) -> Step {
    switch input {
    case .logged(entry, .success(.read(let reading))): return .end(reading)
    case .logged(entry, _):
      isReading = false
      refuseCommands(into: &actions)
      return .fail
    case .deadline where !isReading:
      isReading = true
      return .read
    case .deadline: return .wait
    case .command where !isReading:
      held.append((input, now))
      isReading = true
      return .read
    case .command, .logged, .enriched, .entered, .left, .floodLimitChanged, .operatorsRemoved,
      .restrictionsRemoved, .metadataChanged:
      held.append((input, now))
      return .wait
    }
  }

  /// Takes the inputs that came meanwhile.
  func takeHeld() -> [Held] { Array(held) }

  private static let refusal = ServiceError(.unavailable("an outcome is unknown"))

  private mutating func refuseCommands(into actions: inout JudgeActions) {
    held.removeAll { held in
      guard case .command(_, _, let call) = held.input else { return false }
      actions.answer(call, .failure(Self.refusal))
      return true
    }
  }
}
