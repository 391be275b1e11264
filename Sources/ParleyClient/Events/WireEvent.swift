/// An event beside the bytes that brought it, for programs that pass events on.
package struct WireEvent: Sendable {
  /// The event as the client reads it.
  package let event: ParleyEvent
  /// The notification as the server sent it; `nil` for what the client itself notes.
  package let notification: Notification?

  /// A notification of the server.
  package struct Notification: Sendable {
    package let method: String
    /// The JSON of its parameters, as it came.
    package let params: [UInt8]
  }
}
