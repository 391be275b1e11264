/// The decision on a call that was asked about.
package enum HookVerdict: Sendable {
  case allowed
  /// - otherwise: The refusal if the changes are invalid; `nil` carries the call out as it was made.
  case changed(HookChanges, otherwise: ServiceError?)
  case denied(ServiceError)
  /// There is no valid answer; `nil` carries the call out.
  case failed(ServiceError?)

  /// Applies the verdict to the values of a call.
  ///
  /// - Parameter change: Returns the values with changes; fails for invalid ones.
  /// - Returns: The values, or the refusal, and the outcome that is still to be counted: that of changes,
  ///   since only here they turn out to be valid.
  package func applied<Value>(
    to value: Value, changing change: (HookChanges, Value) throws(ServiceError) -> Value
  ) -> (result: Result<Value, ServiceError>, outcome: HookOutcome?) {
    switch self {
    case .allowed, .failed(nil): return (.success(value), nil)
    case .denied(let error), .failed(let error?): return (.failure(error), nil)
    case .changed(let changes, let otherwise):
      do throws(ServiceError) {
        return (.success(try change(changes, value)), .changed)
      } catch {
        return (otherwise.map(Result.failure) ?? .success(value), .failed)
      }
    }
  }
}
