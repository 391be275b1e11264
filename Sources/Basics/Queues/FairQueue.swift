/// Jobs of several principals that share a few workers.
///
/// The next job is the oldest of the principal with the fewest jobs running, among those the one
/// that was served least. Service is what ``finish(_:after:)`` reports; a newcomer starts where the
/// principals that wait now stand, so an absence saves up nothing. A pure value: time comes in as a
/// number.
package struct FairQueue<Principal: Hashable, Job> {
  /// The bounds of a queue.
  package struct Capacity: Sendable, Hashable {
    /// Jobs that may wait.
    package var total: Int
    /// Jobs of one principal that may wait.
    package var perPrincipal: Int
    /// Jobs of one principal that may run at a time.
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
    /// As many jobs of this principal wait as may.
    case principalFull
    case full
  }

  private struct Share {
    /// Oldest last, so that taking one costs nothing.
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
  /// The service of the principal that was last served: nobody new starts below it.
  private var floor: UInt64 = 0
  /// Jobs that were taken and have not ended.
  package private(set) var runningCount = 0

  /// Jobs that wait.
  package private(set) var count = 0

  package init(capacity: Capacity) {
    self.capacity = capacity
  }

  /// Adds a job behind the others of its principal.
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

  /// Takes the next job; ``finish(_:after:)`` must follow once it has run.
  ///
  /// - Returns: `nil` when none waits, or none of a principal that may have another one running.
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

  /// Takes note that a job has run.
  ///
  /// - Parameter service: What it used, of any unit: nanoseconds of a worker.
  package mutating func finish(_ principal: Principal, after service: UInt64) {
    guard var share = shares[principal], share.runningCount > 0 else { return }
    share.runningCount -= 1
    share.service = share.service.addingReportingOverflow(service).partialValue
    shares[principal] = share
    runningCount -= 1
    forgetIdle()
  }

  /// Takes out the jobs that wait and fulfil `isDropped`.
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

  /// Takes out all jobs that wait.
  package mutating func removeAll() -> [Job] {
    var jobs: [Job] = []
    for principal in shares.keys {
      while let job = shares[principal]?.takeOldest() { jobs.append(job) }
    }
    count = 0
    forgetIdle()
    return jobs
  }

  /// Principals whose service is remembered, those with jobs among them.
  package var principalCount: Int { shares.count }

  /// Most principals that are remembered though they have no job.
  private static var memory: Int { 1_024 }

  /// Forgets principals without jobs when no other has any, or when there are too many of them.
  ///
  /// Until then their service is remembered, or a short pause between two jobs would wipe it out.
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
