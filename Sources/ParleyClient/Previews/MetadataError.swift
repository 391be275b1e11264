/// The reason why a page's preview could not be fetched.
public enum MetadataError: Error, Sendable, Hashable {
  /// The fetch was cancelled.
  case cancelled
  /// The page could not be fetched; the text has the reason.
  case failed(String)
  /// The page did not respond in time, or the server could not be reached in time.
  case timedOut
  /// Any other reason, including those unknown to this client.
  case unknown(String)
  /// The provider was already used: each fetches one page.
  case alreadyStarted
  /// The server refused the call, or there was no connection.
  case refused(ParleyError)
}

extension MetadataError {
  /// A description of the error.
  public var message: String {
    switch self {
    case .cancelled: "the fetch was cancelled"
    case .failed(let reason), .unknown(let reason):
      reason.isEmpty ? "the page can't be fetched" : "the page can't be fetched: \(reason)"
    case .timedOut: "the page did not answer in time"
    case .alreadyStarted: "the provider was used before: each fetches one page"
    case .refused(let error): error.message
    }
  }
}

extension MetadataError: CustomStringConvertible {
  /// The message, and the error code of a refusal if there is one.
  public var description: String {
    switch self {
    case .refused(let error): error.description
    case .cancelled, .failed, .timedOut, .unknown, .alreadyStarted: message
    }
  }
}
