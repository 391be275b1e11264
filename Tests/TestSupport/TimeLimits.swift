package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test after this many minutes, times the factor of all limits.
  package static func patientTimeLimit(minutes: Int) -> Self {
    .timeLimit(.minutes(Int((Double(minutes) * Deadline.patience).rounded(.up))))
  }
}
