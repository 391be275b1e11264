import ParleyProtocol
import Store
import Synchronization
import Telemetry

/// Limits the reports of users, and counts those that were kept, on all shards of this server together.
final class ReportIntake: Sendable {
  private struct State {
    var kept: [AbuseReportType: Int] = [:]
    /// `nil` before the first count.
    var openCount: Int?
  }

  private let rates = UserRates(perSecond: Limits.reportsPerSecond, burst: Limits.reportBurst)
  private let state = Mutex(State())

  /// Counts a call of a user.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Throws: 500910.
  func admit(_ userID: String, at now: Int64) throws(ServiceError) {
    guard let wait = rates.admit(userID, at: now) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: Limits.reportsPerSecond, window: 1_000, scope: "user")
  }

  /// Notes the number of open reports of the deployment.
  func note(openCount: Int) { state.withLock { $0.openCount = openCount } }

  /// The report that is kept now.
  ///
  /// - Throws: 400203.
  func report(_ outcome: AbuseReportAddition.Outcome) throws(ServiceError) -> AbuseReport {
    switch outcome {
    case .kept(let report, let isNew, let openCount):
      state.withLock {
        if isNew { $0.kept[report.type, default: 0] += 1 }
        $0.openCount = openCount
      }
      return report
    case .tooManyOfReporter: throw .tooManyOpenReports(limit: Limits.openReportCount)
    case .tooMany: throw .tooManyReports(limit: Limits.reportCount)
    }
  }

  var samples: [MetricSample] {
    let state = state.withLock { $0 }
    return AbuseReportType.allCases.map { type in
      MetricSample(
        "parley_reports_total", .counter, "Reports of users and back ends that were kept, by type.",
        state.kept[type] ?? 0, .init("type", type.rawValue))
    }
      + (state.openCount.map {
        [MetricSample("parley_reports_open", .gauge, "Open reports of the deployment.", $0)]
      } ?? [])
  }
}

extension Result where Success == AbuseReportAddition.Outcome, Failure == ServiceError {
  /// The report that is kept now, or the refusal.
  func report(_ intake: ReportIntake) -> Result<AbuseReport, ServiceError> {
    flatMap { outcome in
      Result<AbuseReport, ServiceError> { () throws(ServiceError) in try intake.report(outcome) }
    }
  }
}
