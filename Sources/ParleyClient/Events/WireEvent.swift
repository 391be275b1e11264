internal import ParleyProtocol

/// An event with the bytes that brought it, for programs that pass events on.
package struct WireEvent: Sendable {
  /// The event as the client reads it.
  package let event: ParleyEvent
  /// The notification as the server sent it; `nil` for events of the client itself.
  package let notification: Notification?

  /// A notification of the server.
  package struct Notification: Sendable {
    private let method: String
    private let params: JSONNode?

    init(method: String, params: JSONNode?) {
      self.method = method
      self.params = params
    }

    /// The notification as a JSON text; its parameters are the bytes that came.
    package var json: [UInt8] {
      let params = params?.raw ?? []
      return JSONWriter.bytes(reserving: params.count + 64) {
        $0.object {
          $0.member("jsonrpc", "2.0")
          $0.member("method", method)
          guard !params.isEmpty else { return }
          $0.name("params")
          $0.value(raw: params)
        }
      }
    }
  }
}
