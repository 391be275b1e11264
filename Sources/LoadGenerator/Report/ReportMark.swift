/// A moment of a run that explains its curves.
package struct ReportMark: Sendable, Hashable {
  /// Seconds since the start of the load.
  package var seconds: Double
  /// The label in plots.
  package var name: String
  /// The explanation below the plots.
  package var meaning: String
}

extension LoadPlan {
  /// The marks of the run, in order.
  package var marks: [ReportMark] {
    let warmUpEnd = Double(warmUp) / 1e9
    var marks: [ReportMark] = []
    if warmUp > 0 {
      marks.append(
        ReportMark(
          seconds: warmUpEnd, name: "measured from here",
          meaning: "The warm-up ends. Messages scheduled before are in no latency and no rate of "
            + "the tables; the curves show them."))
    }
    if case .during(_, let time) = arrival {
      marks += [
        ReportMark(
          seconds: warmUpEnd, name: "spike",
          meaning: "The connections of the spike begin to arrive."),
        ReportMark(
          seconds: warmUpEnd + Double(time) / 1e9, name: "spike ends",
          meaning: "The last connection of the spike was to be made."),
      ]
    }
    if let time = disturbanceTime, let mark = disturbance.mark(at: warmUpEnd + Double(time) / 1e9) {
      marks.append(mark)
    }
    return marks
  }
}

extension LoadPlan.Disturbance {
  fileprivate func mark(at seconds: Double) -> ReportMark? {
    switch self {
    case .none, .churn: nil
    case .flood:
      ReportMark(
        seconds: seconds, name: "abuse begins",
        meaning: "The abusers begin to send. 'Delivery before' are the latencies of messages "
          + "scheduled until then, 'Delivery' those after; the shift is the ratio of their p99.")
    case .storm:
      ReportMark(
        seconds: seconds, name: "cut off",
        meaning: "All subscribers lose their connections and return at once. 'Delivery before' are "
          + "the latencies of messages scheduled until then, 'Delivery' those after, without what "
          + "came by recovery; the shift is the ratio of their p99.")
    }
  }
}
