import Basics
import LinkPreview
import ParleyProtocol

extension UnfurlError {
  /// How long a message may be, in Unicode scalars.
  private static let maximumMessageLength = 500

  private var message: String {
    switch self {
    case .cancelled: "the look-up was called off"
    case .failed(let reason): DisplayText.line(reason, limit: Self.maximumMessageLength)
    case .timedOut: "the page did not answer in time"
    case .unknown: "the page could not be looked up"
    }
  }

  /// Writes the members `error` and `message`.
  func encode(into writer: inout JSONWriter) {
    writer.member("error", kind.rawValue)
    writer.member("message", message)
  }

  /// Reads them from an object; `nil` when it names no error that there is.
  init?(json: JSONNode) {
    let message = json["message"]?.string.map {
      DisplayText.line($0, limit: Self.maximumMessageLength)
    }
    guard let kind = json["error"]?.string.flatMap(Kind.init) else { return nil }
    switch kind {
    case .cancelled: self = .cancelled
    case .failed: self = .failed(message ?? "the unfurl service does not say why")
    case .timedOut: self = .timedOut
    case .unknown: self = .unknown
    }
  }
}
