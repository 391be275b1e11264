/// Why a page could not be fetched.
package enum UnfurlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The caller lost interest, or the unfurler was shut down.
  case cancelled
  /// The fetch went wrong in a way that is understood; the text says how, for people.
  case failed(String)
  /// The deadline passed.
  case timedOut
  /// Anything else.
  case unknown

  /// The names of the errors on the wire.
  package enum Kind: String, Sendable, CaseIterable {
    case cancelled
    case failed
    case timedOut = "timed_out"
    case unknown
  }

  package var kind: Kind {
    switch self {
    case .cancelled: .cancelled
    case .failed: .failed
    case .timedOut: .timedOut
    case .unknown: .unknown
    }
  }

  /// The error in words.
  package var description: String {
    switch self {
    case .cancelled: "cancelled"
    case .failed(let reason): "failed: \(reason)"
    case .timedOut: "timed out"
    case .unknown: "unknown error"
    }
  }
}
