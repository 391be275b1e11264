package import Dispatch
import Glibc

/// The latest moment for something to have happened.
///
/// Every wait of the tests has one. A wait ends when its condition holds; the limit is generous, so a slow
/// machine makes a test slow and not red.
package struct Deadline: Sendable {
  /// The factor of all limits, at least 1: the environment variable `PARLEY_TEST_PATIENCE`.
  package static let patience = max(
    1, getenv("PARLEY_TEST_PATIENCE").flatMap { Double(String(cString: $0)) } ?? 1)

  private let end: ContinuousClock.Instant

  /// The limit of a wait for something that takes moments unless something is wrong.
  package static var standard: Deadline { .in(seconds: 60) }

  /// A number of seconds from now, times the factor.
  package static func `in`(seconds: Double) -> Deadline {
    Deadline(end: .now + .milliseconds(Int64(seconds * patience * 1000)))
  }

  /// Whether the moment is over.
  package var hasPassed: Bool { remainingMilliseconds == 0 }

  /// The time that is left, at least 0.
  package var remainingMilliseconds: Int32 {
    let rest = ContinuousClock.now.duration(to: end)
    guard rest > .zero else { return 0 }
    let (seconds, attoseconds) = rest.components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  /// A wait that reached its limit.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ what: String) { description = "waited in vain for \(what)" }
  }

  /// Blocks the thread until a condition holds.
  ///
  /// - Throws: ``Failure`` that names the condition.
  package func wait(for what: String, until condition: () throws -> Bool) throws {
    while try !condition() {
      guard !hasPassed else { throw Failure(what) }
      usleep(2_000)
    }
  }

  /// Suspends the task until a condition holds.
  ///
  /// - Throws: ``Failure`` that names the condition.
  package func wait(for what: String, until condition: () throws -> Bool) async throws {
    while try !condition() {
      guard !hasPassed else { throw Failure(what) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Suspends the task until a condition holds that is asynchronous.
  ///
  /// - Throws: ``Failure`` that names the condition.
  package func wait(for what: String, until condition: () async throws -> Bool) async throws {
    while try await !condition() {
      guard !hasPassed else { throw Failure(what) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Blocks the thread until a semaphore is signalled.
  ///
  /// - Throws: ``Failure`` that names the signal's event.
  package func wait(for what: String, on semaphore: DispatchSemaphore) throws {
    let rest = DispatchTimeInterval.milliseconds(Int(remainingMilliseconds))
    guard semaphore.wait(timeout: .now() + rest) == .success else { throw Failure(what) }
  }

  /// Blocks the thread until a descriptor is ready for an event of `poll`.
  ///
  /// - Parameter event: `nil` for something to read.
  /// - Throws: ``Failure`` that names the event.
  package func wait(for what: String, on descriptor: Int32, _ event: Int32? = nil) throws {
    var entry = pollfd(fd: descriptor, events: Int16(event ?? POLLIN), revents: 0)
    while poll(&entry, 1, remainingMilliseconds) != 1 {
      guard !hasPassed else { throw Failure(what) }
    }
  }
}

extension Duration {
  /// This time, times the factor of all limits: for a setting that a slow machine must not reach by mistake.
  package var patient: Duration { self * Deadline.patience }

  /// The whole milliseconds of this time, times the factor of all limits.
  package var patientMilliseconds: Int64 { Int64(patient / .milliseconds(1)) }
}
