/// How a fetch ended.
package enum PreviewFetchOutcome: String, Sendable, CaseIterable {
  case found, empty, failed
  case timedOut = "timed_out"
}
