/// `preview.fetch`: the preview of a page, independent of messages.
package struct PreviewFetch: Sendable, Hashable {
  /// The link, in the same form as in a message.
  package var url: String
  /// The timeout in milliseconds, within ``Limits/previewTimeouts``; `nil` for the server's default.
  package var timeout: Int64?
  /// The client's identifier of the fetch, which `preview.cancel` refers to.
  package var fetchID: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    url = try parameters.requiredText("url", limit: Limits.previewURLLength)
    timeout = try parameters.integer("timeout_ms", in: Limits.previewTimeouts)
    let id = try parameters.text("fetch_id", limit: Limits.fetchIDLength)
    fetchID = id?.isEmpty == true ? nil : id
  }
}

/// `preview.cancel`: cancels a fetch of the same connection.
package struct PreviewCancel: Sendable, Hashable {
  package var fetchID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    fetchID = try parameters.requiredText("fetch_id", limit: Limits.fetchIDLength)
  }
}
