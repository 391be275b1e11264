/// The audit of what all workers have seen.
struct RunAudit {
  private var audit: DeliveryAudit
  private let traces: [SubscriptionTrace]

  init(_ plan: LoadPlan, _ results: [WorkerResult]) {
    audit = DeliveryAudit(limit: plan.throttle)
    for result in results {
      for (channel, message) in result.accepted { audit.accept(message, in: channel) }
      for (channel, count) in result.unanswered { audit.addUnanswered(count, in: channel) }
    }
    audit.sort()
    traces = results.flatMap(\.traces)
  }

  func verdict() -> AuditVerdict {
    var audit = audit
    var verdict = AuditVerdict()
    for trace in traces { verdict += audit.judge(trace) }
    return verdict
  }
}
