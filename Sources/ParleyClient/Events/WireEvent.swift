internal import ParleyProtocol

/// An event beside the bytes that brought it, for programs that pass events on.
package struct WireEvent: Sendable {
  /// The event as the client reads it.
  package let event: ParleyEvent
  /// The notification as the server sent it; `nil` for what the client itself notes.
  package let notification: Notification?

  /// A notification of the server.
  package struct Notification: Sendable {
    package let method: String
    private let node: JSONNode?

    init(method: String, params: JSONNode?) {
      self.method = method
      node = params
    }

    /// The JSON of its parameters, as it came; empty without any.
    package var params: [UInt8] { node.map { Array($0.raw) } ?? [] }
  }
}
