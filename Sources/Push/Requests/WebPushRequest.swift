internal import ParleyProtocol

/// Requests to the push services of browsers (RFC 8030).
package struct WebPushService: Sendable, Hashable {
  /// `push.ttl_seconds`: how long the service tries to deliver.
  package var lifetime: Int64

  package init(lifetime: Int64) { self.lifetime = lifetime }

  /// - Parameters:
  ///   - content: The encrypted message; `nil` for a message without a body, by which the service worker
  ///     learns only that there is one.
  ///   - authorization: See ``VAPIDToken``.
  package func message(
    _ content: [UInt8]?, to endpoint: String, channelURL: String, authorization: String
  ) -> PushRequest {
    var fields = [
      "authorization: \(authorization)", "ttl: \(lifetime)", "urgency: high",
      "topic: \(PushIdentifiers.topic(channelURL: channelURL))",
    ]
    if content != nil {
      fields.append("content-encoding: \(WebPushEncryption.contentEncoding)")
      fields.append("content-type: application/octet-stream")
    }
    return PushRequest(url: endpoint, fields: fields, body: content ?? [])
  }
}
