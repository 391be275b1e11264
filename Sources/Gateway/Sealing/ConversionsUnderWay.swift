import Synchronization

/// The files that this server is encrypting.
///
/// Each file is converted once at a time. Concurrent requests for the same file get the same outcome.
final class ConversionsUnderWay<Outcome: Sendable>: Sendable {
  typealias Completion = @Sendable (Outcome) -> Void

  /// The completions that wait for each file.
  private let waiting = Mutex<[String: [Completion]]>([:])

  /// Converts a file, unless its conversion is already running.
  ///
  /// - Parameter completion: Called once with the outcome, on any thread.
  func run(
    _ fileID: String, _ convert: (@escaping Completion) -> Void,
    then completion: @escaping Completion
  ) {
    let isFirst = waiting.withLock { waiting in
      waiting[fileID, default: []].append(completion)
      return waiting[fileID]?.count == 1
    }
    guard isFirst else { return }
    convert { [self] outcome in
      let completions = waiting.withLock { $0.removeValue(forKey: fileID) }
      for completion in completions ?? [] { completion(outcome) }
    }
  }
}
