/// The title and body that the Platform API gives the pushes of a message in place of its own:
/// `push_message_template`.
package struct PushMessageTemplate: Sendable, Hashable {
  /// `nil` for the title that pushes have by themselves.
  package var title: String?
  /// `nil` for the body that pushes have by themselves.
  package var body: String?

  package init(title: String? = nil, body: String? = nil) {
    self.title = title
    self.body = body
  }

  package init(_ fields: Fields) throws(ServiceError) {
    title = try fields.name("title", limit: Limits.channelNameLength)
    body = try fields.text("body", limit: Limits.messageLength)
  }
}
