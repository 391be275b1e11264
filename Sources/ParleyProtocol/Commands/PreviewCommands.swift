/// `preview.fetch`: the preview of a page, outside of messages.
package struct PreviewFetch: Sendable, Hashable {
  /// A link, as in a message.
  package var url: String
  /// Milliseconds, within ``Limits/previewTimeouts``; `nil` for the server's usual time.
  package var timeout: Int64?
  /// The client's name for the fetch, by which `preview.cancel` finds it.
  package var fetchID: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    url = try parameters.requiredText("url", limit: Limits.previewURLLength)
    timeout = try parameters.integer("timeout_ms", in: Limits.previewTimeouts)
    let id = try parameters.text("fetch_id", limit: Limits.fetchIDLength)
    fetchID = id?.isEmpty == true ? nil : id
  }
}

/// `preview.cancel`: ends a fetch of the same connection.
package struct PreviewCancel: Sendable, Hashable {
  package var fetchID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    fetchID = try parameters.requiredText("fetch_id", limit: Limits.fetchIDLength)
  }
}
