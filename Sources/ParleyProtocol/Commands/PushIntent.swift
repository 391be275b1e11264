/// The wish of a sender that absent users are notified of a message.
///
/// Takes one word of each message, because few have a template.
package enum PushIntent: Sendable, Hashable {
  /// With the title and body that pushes have by themselves.
  case plain
  indirect case shaped(PushMessageTemplate)

  /// - Parameter template: `nil` for none.
  package init(_ template: PushMessageTemplate?) {
    self = template.map(PushIntent.shaped) ?? .plain
  }

  /// The title and body in place of those that pushes have by themselves.
  package var template: PushMessageTemplate? {
    switch self {
    case .plain: nil
    case .shaped(let template): template
    }
  }
}
