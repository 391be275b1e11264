/// Why a list of domains cannot be used.
package enum DomainListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A line, counted from 1, that is no domain.
  case line(Int, DomainTextError)
  case tooManyBytes(limit: Int)
  case tooManyLines(limit: Int)

  package var description: String {
    switch self {
    case .line(let number, let error): "line \(number): \(error)"
    case .tooManyBytes(let limit): "the list is longer than \(limit) bytes"
    case .tooManyLines(let limit): "the list has more than \(limit) lines"
    }
  }
}
