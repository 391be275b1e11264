import Configuration
import Synchronization

@testable import Daemon

/// A daemon whose event loops answer when the test says so.
final class FakeDaemon: Daemon {
  typealias Answer = @Sendable () -> Void

  private let answers = Mutex<[Answer]>([])

  /// How often its pulse has been taken without an answer yet.
  var unanswered: Int { answers.withLock { $0.count } }

  func takePulse(_ answer: @escaping Answer) {
    answers.withLock { $0.append(answer) }
  }

  /// The loops take a turn.
  func answer() {
    let waiting = answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for answer in waiting { answer() }
  }

  func reload(_ settings: SettingsReload) {}
  func drain() {}
  func hurry() {}
  func waitUntilStopped() {}
}

/// A daemon whose event loops always answer at once.
final class LivelyDaemon: Daemon {
  func takePulse(_ answer: @escaping @Sendable () -> Void) { answer() }
  func reload(_ settings: SettingsReload) {}
  func drain() {}
  func hurry() {}
  func waitUntilStopped() {}
}
