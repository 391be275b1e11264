/// The jobs waiting for a database that cannot be reached, first in, first out, each for a limited time.
struct HeldJobs<Job> {
  /// Jobs that arrived together.
  struct Batch {
    var jobs: ArraySlice<Job>
    /// Nanoseconds of the monotonic clock.
    var deadline: UInt64
  }

  /// Nanoseconds for which a job waits; 0 for no waiting.
  private let patience: UInt64
  private let capacity: Int
  private var batches: [Batch] = []
  private(set) var count = 0

  /// - Parameter milliseconds: The time for which a job waits; 0 for no waiting.
  init(milliseconds: Int, capacity: Int) {
    patience = UInt64(max(0, milliseconds)) * 1_000_000
    self.capacity = capacity
  }

  var isEmpty: Bool { batches.isEmpty }

  /// Whether more jobs can wait.
  var hasRoom: Bool { patience > 0 && count < capacity }

  /// Adds jobs that wait.
  ///
  /// - Parameter deadline: The end of their wait, when they have waited before.
  mutating func hold(_ jobs: ArraySlice<Job>, until deadline: UInt64?, at now: UInt64) {
    guard !jobs.isEmpty else { return }
    count += jobs.count
    batches.append(Batch(jobs: jobs, deadline: deadline ?? now &+ patience))
  }

  /// Removes and returns all jobs, in their order.
  mutating func takeAll() -> [Batch] {
    defer { (batches, count) = ([], 0) }
    return batches
  }

  /// Removes and returns the jobs whose time is over.
  mutating func takeExpired(at now: UInt64) -> [Job] {
    guard batches.contains(where: { $0.deadline <= now }) else { return [] }
    let expired = batches.filter { $0.deadline <= now }.flatMap(\.jobs)
    batches.removeAll { $0.deadline <= now }
    count -= expired.count
    return expired
  }
}
