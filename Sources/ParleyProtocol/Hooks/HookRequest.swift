/// A call that the app's back end is asked about.
package struct HookRequest: Sendable {
  package let hook: HookName
  /// The caller; `nil` when it is not known.
  package var user: User?
  /// The connection of the caller; `nil` for a call over HTTP.
  package var session: HookSession?
  /// The channel, as JSON.
  package var channel: [UInt8]?
  /// The parameters as the server has read them, as a JSON object.
  package let params: [UInt8]
  /// A text that is the same when the call is repeated at another server; `nil` for a call without one.
  package var identity: String?

  package init(
    _ hook: HookName, user: User?, session: HookSession? = nil, channel: [UInt8]? = nil,
    params: [UInt8], identity: String? = nil
  ) {
    self.hook = hook
    self.user = user
    self.session = session
    self.channel = channel
    self.params = params
    self.identity = identity
  }

  /// The body of the request.
  ///
  /// - Parameter time: Unix milliseconds.
  package func encoded(id: String, at time: Int64) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("id", id)
        $0.member("hook", hook.rawValue)
        $0.member("ts", time)
        if let user {
          $0.name("user")
          user.encode(into: &$0)
        }
        if let session {
          $0.member("session", object: { session.encodeMembers(into: &$0) })
        }
        if let channel { $0.member("channel", raw: channel) }
        $0.member("params", raw: params)
      }
    }
  }
}

/// The connection of a caller, as the app's back end sees it.
///
/// A reference, so that calls without one carry one word.
package final class HookSession: Sendable {
  /// `nil` while the session is being opened.
  package let id: String?
  /// The address of the client; empty when it is not known.
  package let address: String

  package let carrier: Carrier

  /// The transport of the connection.
  package enum Carrier: String, Sendable, CaseIterable {
    case webSocket = "websocket"
    /// Server-Sent Events and posted messages.
    case stream
  }

  package init(id: String?, address: String, over carrier: Carrier) {
    self.carrier = carrier
    self.id = id
    self.address = address
  }

  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("session_id", ifKnown: id)
    writer.member("address", address)
    writer.member("transport", carrier.rawValue)
  }
}
