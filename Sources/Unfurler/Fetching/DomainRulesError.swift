package import LinkPreview
package import Reactor

/// Why the operator's rules about domains cannot be used.
package enum DomainRulesError: Error, Sendable, Hashable, CustomStringConvertible {
  case file(SystemError)
  case list(path: String, DomainListError)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .list(let path, let error): "\(path): \(error)"
    }
  }
}
