import Foundation

/// The latest moment for something to have happened.
///
/// All test waits have one, and all are generous: a slow machine makes a test slow, not red. The
/// environment variable `PARLEY_TEST_TIME_FACTOR` multiplies them.
package struct Deadline: Sendable {
  private static let factor =
    ProcessInfo.processInfo.environment["PARLEY_TEST_TIME_FACTOR"].flatMap(Double.init) ?? 1

  private let end: ContinuousClock.Instant

  /// So many seconds from now, times the factor.
  package static func `in`(seconds: Double) -> Deadline {
    Deadline(end: .now + .milliseconds(Int64(seconds * factor * 1000)))
  }

  /// For what takes moments unless something is wrong.
  package static var standard: Deadline { .in(seconds: 60) }

  /// Whether the moment is over.
  package var hasPassed: Bool { remainingMilliseconds == 0 }

  /// The time that is left, at least 0.
  package var remainingMilliseconds: Int32 {
    let rest = ContinuousClock.now.duration(to: end)
    guard rest > .zero else { return 0 }
    let (seconds, attoseconds) = rest.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  /// Looks until a condition holds that nobody announces, such as a file or an HTTP status.
  ///
  /// - Throws: ``TestFailure`` that names what was awaited.
  package func wait(for what: String, until condition: () throws -> Bool) throws {
    while try !condition() {
      guard !hasPassed else { throw TestFailure("waited in vain for \(what)") }
      usleep(2_000)
    }
  }

  /// Looks until a condition holds, and leaves the thread to others in between.
  ///
  /// The condition may depend on other tasks, and all tasks share as many threads as there are cores.
  ///
  /// - Throws: ``TestFailure`` that names what was awaited.
  package func wait(for what: String, until condition: () throws -> Bool) async throws {
    while try !condition() {
      guard !hasPassed else { throw TestFailure("waited in vain for \(what)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

/// Why a helper of the tests could not do what it was asked to.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  /// Makes a failure from a sentence.
  package init(_ description: String) {
    self.description = description
  }
}
