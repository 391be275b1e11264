import DequeModule
import ParleyProtocol

/// The search for the outcome of an entry whose commit broke off.
///
/// Until it is found, nothing else of the channel is decided: the events that follow have higher
/// numbers than the entry's own. Once the log could not be read, commands are refused, so that
/// nobody waits for it.
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
  private var isFailing = false
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
      isFailing = true
      refuseCommands(into: &actions)
      return .fail
    case .deadline: return isFailing ? .read : .wait
    case .command(_, _, let call) where isFailing:
      actions.answer(call, .failure(Self.refusal))
      return .wait
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
