import HTTP
import Logging
import ParleyProtocol

extension CallTrace {
  /// The trace that a request names; `nil` without one, and for headers that are sent more than once.
  init?(_ head: HTTPRequestHead) {
    self.init(
      requestID: head.fields.single("X-Request-Id"),
      traceParent: head.fields.single("traceparent"))
  }
}

extension HTTPFields {
  /// The value of a field that was sent one time.
  fileprivate func single(_ name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }
}

extension HTTPResponse {
  /// Returns the answer to a request with the id that the request was sent with.
  consuming func naming(_ trace: CallTrace?) -> HTTPResponse {
    if let id = trace?.requestID { fields.append("X-Request-Id", id) }
    return self
  }
}

extension Logger.Metadata {
  /// Adds the names of a trace.
  mutating func name(_ trace: CallTrace?) {
    guard let trace else { return }
    if let id = trace.requestID { self["request_id"] = "\(id)" }
    if let id = trace.traceID { self["trace_id"] = "\(id)" }
  }
}
