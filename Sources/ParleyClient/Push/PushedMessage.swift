internal import ParleyProtocol

/// The message that a received push is about.
struct PushedMessage: Sendable, Hashable {
  let channelURL: String
  let messageID: Int64

  /// Reads the payload of a push as the system gave it to the application.
  ///
  /// APNs delivers the member `parley` as an object, FCM as its JSON text.
  ///
  /// - Returns: `nil` for a push that is not about a message of Parley.
  init?(payload: [AnyHashable: Any]) {
    switch payload["parley"] {
    case let object as [String: Any]: self.init(object: object)
    case let text as String: self.init(json: text)
    default: return nil
    }
  }

  private init?(object: [String: Any]) {
    guard object["type"] as? String == "message", let url = object["channel_url"] as? String,
      let id = object["message_id"] as? Int64 ?? (object["message_id"] as? Int).map(Int64.init)
    else { return nil }
    (channelURL, messageID) = (url, id)
  }

  private init?(json: String) {
    guard let object = try? JSONDocument(Array(json.utf8)).root,
      object["type"]?.string == "message", let url = object["channel_url"]?.string,
      let id = object["message_id"]?.integer
    else { return nil }
    (channelURL, messageID) = (url, id)
  }

  /// The call that marks the message as delivered.
  var marking: Call<Void> {
    GroupCalls.markDelivered([DeliveryMarks.Mark(url: channelURL, messageID: messageID)])
  }
}

extension ParleyClient {
  /// Marks the message of a received push as delivered to the current user.
  ///
  /// The client must be connected, or connecting. Pushes that are not about a message of a group are ignored.
  ///
  /// - Parameter payload: The payload as the system gave it to the application, with the member `parley`.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400920 in a group without delivery receipts.
  public func markAsDelivered(
    remoteNotificationPayload payload: [AnyHashable: Any]
  ) async throws(ParleyError) {
    guard let message = PushedMessage(payload: payload) else { return }
    try await core.perform(message.marking)
  }

  /// Marks the message of a received push as delivered; see ``markAsDelivered(remoteNotificationPayload:)``.
  ///
  /// The handler is called once, on the client's callback queue; without an error the call succeeded.
  public func markAsDelivered(
    remoteNotificationPayload payload: [AnyHashable: Any],
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    guard let message = PushedMessage(payload: payload) else {
      return core.callbacks.run { completionHandler(nil) }
    }
    core.start(message.marking, handler: completionHandler)
  }
}
