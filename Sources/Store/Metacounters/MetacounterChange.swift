/// What an update does with a counter and the number that it is given (`mode` of the request).
package enum MetacounterChange: String, Sendable, CaseIterable {
  case set
  case increase
  case decrease

  /// The counter afterwards; `nil` when it would leave the range of its numbers.
  func applied(_ number: Int64, to value: Int64) -> Int64? {
    let result: (partialValue: Int64, overflow: Bool) =
      switch self {
      case .set: (number, false)
      case .increase: value.addingReportingOverflow(number)
      case .decrease: value.subtractingReportingOverflow(number)
      }
    return result.overflow ? nil : result.partialValue
  }
}
