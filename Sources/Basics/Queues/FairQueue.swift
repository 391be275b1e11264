/// A queue of jobs of several principals that share a few workers.
///
/// The next job is the oldest of the principal with the fewest running jobs; among equals, the principal
/// that was served least comes first. Service is the amount reported to ``finish(_:after:)``. A new
/// principal starts at the level of those that are waiting, so it gains no credit by its absence. A pure
/// value: time is passed in as a number.
package struct FairQueue<Principal: Hashable, Job> {
  /// The limits of a queue.
  package struct Capacity: Sendable, Hashable {
    /// The maximum number of waiting jobs.
    package var total: Int
    /// The maximum number of waiting jobs of one principal.
    package var perPrincipal: Int
    /// The maximum number of running jobs of one principal.
    package var runningPerPrincipal: Int

    package init(total: Int, perPrincipal: Int, runningPerPrincipal: Int = .max) {
      self.total = total
      self.perPrincipal = perPrincipal
      self.runningPerPrincipal = runningPerPrincipal
    }
  }

  /// The outcome of a submission.
  package enum Admission: Hashable {
    case accepted
    /// The maximum number of jobs of this principal is already waiting.
    case principalFull
    case full
  }

  private struct Share {
    /// Oldest last, so that removing the next job is cheap.
    var outgoing: [Job] = []
    var incoming: [Job] = []
    var runningCount = 0
    /// Service received, on the scale of `floor`.
    var service: UInt64

    var waitingCount: Int { outgoing.count + incoming.count }

    mutating func takeOldest() -> Job? {
      if outgoing.isEmpty {
        swap(&incoming, &outgoing)
        outgoing.reverse()
      }
      return outgoing.popLast()
    }
  }

  private let capacity: Capacity
  private var shares: [Principal: Share] = [:]
  /// The service of the principal that was last served; new principals start at this level or above.
  private var floor: UInt64 = 0
  /// The number of jobs that were taken and have not finished.
  package private(set) var runningCount = 0

  /// The number of waiting jobs.
  package private(set) var count = 0

  package init(capacity: Capacity) {
    self.capacity = capacity
  }

  /// Adds a job after the others of its principal.
  package mutating func submit(_ job: Job, for principal: Principal) -> Admission {
    guard count < capacity.total else { return .full }
    var share = shares[principal] ?? Share(service: floor)
    guard share.waitingCount < capacity.perPrincipal else { return .principalFull }
    if share.waitingCount == 0, share.runningCount == 0 {
      share.service = max(share.service, floor)
    }
    share.incoming.append(job)
    shares[principal] = share
    count += 1
    return .accepted
  }

  /// Takes the next job; call ``finish(_:after:)`` after it has run.
  ///
  /// - Returns: `nil` when no job is waiting, or only those of principals at their limit.
  package mutating func take() -> (principal: Principal, job: Job)? {
    guard count > 0 else { return nil }
    var next: (principal: Principal, share: Share)?
    for (principal, share) in shares
    where share.waitingCount > 0 && share.runningCount < capacity.runningPerPrincipal {
      guard let best = next?.share else {
        next = (principal, share)
        continue
      }
      if (share.runningCount, share.service) < (best.runningCount, best.service) {
        next = (principal, share)
      }
    }
    guard let principal = next?.principal, let job = shares[principal]?.takeOldest() else {
      return nil
    }
    count -= 1
    runningCount += 1
    shares[principal]?.runningCount += 1
    floor = max(floor, next?.share.service ?? 0)
    return (principal, job)
  }

  /// Records that a job has finished.
  ///
  /// - Parameter service: The amount used, in any unit, such as nanoseconds of a worker.
  package mutating func finish(_ principal: Principal, after service: UInt64) {
    guard var share = shares[principal], share.runningCount > 0 else { return }
    share.runningCount -= 1
    share.service = share.service.addingReportingOverflow(service).partialValue
    shares[principal] = share
    runningCount -= 1
    forgetIdle()
  }

  /// Removes the waiting jobs that satisfy `isDropped`.
  package mutating func removeAll(where isDropped: (Job) -> Bool) {
    for principal in shares.keys {
      guard var share = shares[principal], share.waitingCount > 0 else { continue }
      let before = share.waitingCount
      share.incoming.removeAll(where: isDropped)
      share.outgoing.removeAll(where: isDropped)
      count -= before - share.waitingCount
      shares[principal] = share
    }
    forgetIdle()
  }

  /// Removes all waiting jobs.
  package mutating func removeAll() -> [Job] {
    var jobs: [Job] = []
    for principal in shares.keys {
      while let job = shares[principal]?.takeOldest() { jobs.append(job) }
    }
    count = 0
    forgetIdle()
    return jobs
  }

  /// The number of principals whose service is remembered, including those with jobs.
  package var principalCount: Int { shares.count }

  /// The maximum number of principals that are remembered without having jobs.
  private static var memory: Int { 1_024 }

  /// Removes principals without jobs when no other has any, or when there are too many of them.
  ///
  /// Until then their service is remembered: otherwise a short pause between two jobs would reset it.
  private mutating func forgetIdle() {
    guard count > 0 || runningCount > 0 else {
      shares = [:]
      floor = 0
      return
    }
    guard shares.count > count + runningCount + Self.memory else { return }
    shares = shares.filter { $0.value.waitingCount > 0 || $0.value.runningCount > 0 }
  }
}
