package import ParleyProtocol

/// The texts of pushes that settings determine.
package struct PushTexts: Sendable, Hashable {
  /// `push.title`: the title of an admin message in a channel without a name.
  package var title = "Parley"
  /// `push.text_file`: the body for a file; `{sender}` stands for its sender.
  package var file = "{sender} sent a file"
  /// `push.text_hidden`: the body when the text is not shown.
  package var hidden = "New message"
  /// `push.show_text`.
  package var showsText = true

  package init() {}

  /// The title of a message: its sender and its channel.
  ///
  /// - Parameter channelName: Empty for a channel without a name.
  package func title(of message: Message, channelName: String) -> String {
    guard let user = message.user else { return channelName.isEmpty ? title : channelName }
    return channelName.isEmpty ? user.shownName : "\(user.shownName) · \(channelName)"
  }

  /// The body of a message.
  package func body(of message: Message, template: PushTemplate) -> String {
    guard showsText, template == .default else { return hidden }
    switch message.type {
    case .user, .admin: return message.text
    case .file:
      return file.replacing("{sender}", with: message.user?.shownName ?? "", maxReplacements: 4)
    }
  }
}

extension User {
  /// The nickname, or the id of a user without one.
  fileprivate var shownName: String { nickname.isEmpty ? id : nickname }
}
