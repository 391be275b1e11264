/// A well-formed request or notification; whether the method exists is judged by ``Command``.
package struct RPCRequest: Sendable {
  /// `nil` for a notification, which is never answered, not even with an error (§4.1).
  package var id: RPCIdentifier?
  package var method: String
  /// As given; `nil` when absent or `null`.
  package var params: JSONNode?

  package init(id: RPCIdentifier?, method: String, params: JSONNode?) {
    self.id = id
    self.method = method
    self.params = params
  }
}
