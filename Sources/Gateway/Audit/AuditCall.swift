import Channels
import ParleyProtocol
import Transport

/// A call of the Platform API that changes something, as received.
struct AuditCall: Sendable {
  /// Unix milliseconds.
  let time: Int64
  let token: APITokenName
  /// The address of the client.
  let client: String
  /// The trace that the call belongs to.
  let trace: CallTrace?
  let method: String
  /// Without the query.
  let path: String
  let action: AuditedAction
  /// The values in the path, by their names.
  let arguments: [(name: String, value: String)]
  /// The values in the query, by their names.
  let query: [String: String]
  /// JSON, or nothing for a form.
  let body: [UInt8]

  /// Larger bodies and answers are not read.
  private static let readByteCount = 65_536

  /// Whether calls of a route belong in the audit log.
  ///
  /// - Parameter includesMessages: Whether sends of messages are recorded.
  static func isRecorded(_ route: Routes.Route, includesMessages: Bool) -> Bool {
    guard let method = route.methods.first, method != "GET" else { return false }
    return includesMessages || method != "POST" || !route.pattern.description.hasSuffix("/messages")
  }

  /// Parses a body or an answer; `nil` unless it is an object that is not too large.
  static func parse(_ json: [UInt8]) -> JSONNode? {
    guard !json.isEmpty, json.count <= readByteCount else { return nil }
    guard let root = try? JSONDocument(json).root, root.kind == .object else { return nil }
    return root
  }

  /// The value of a parameter in the path; empty for a name that the path does not have.
  func argument(_ name: String) -> String { arguments.first { $0.name == name }?.value ?? "" }

  /// The object whose former state is recorded; `nil` for a call that has none.
  var object: AuditedObject? {
    switch action.object {
    case nil: nil
    case .limits: .limits(customType: arguments.first?.value)
    case .channelLimits: .channelLimits(url: argument("channel_url"))
    case .channel: .channel(url: argument("channel_url"))
    case .user: .user(id: argument("user_id"))
    case .ban: restriction(.ban)
    case .mute: restriction(.mute)
    case .counters(let kind):
      .counters(url: argument("channel_url"), kind, keys: counterKeys)
    case .apiToken: .apiToken(id: argument("api_token_id"))
    case .masterKey: .masterKey
    }
  }

  /// The counters that the call changes; empty for all.
  var counterKeys: [String] {
    if let key = arguments.first(where: { $0.name == "key" }) { return [key.value] }
    guard let counters = Self.parse(body)?["metacounter"] else { return [] }
    return counters.members.prefix(AuditedValues.countLimit).map { $0.name }
  }

  private func restriction(_ kind: RestrictionKind) -> AuditedObject? {
    let inPath = argument("user_id")
    let userID = inPath.isEmpty ? Self.parse(body)?["user_id"]?.string : inPath
    return userID.map { .restriction(kind, ofUser: $0, url: argument("channel_url")) }
  }
}

/// An object whose state before the call is shown in the audit log.
enum AuditedObject: Sendable, Hashable {
  /// The limits of the deployment, or of a custom type.
  case limits(customType: String?)
  case channelLimits(url: String)
  case channel(url: String)
  case user(id: String)
  case restriction(RestrictionKind, ofUser: String, url: String)
  /// - `keys`: The counters; empty for all.
  case counters(url: String, ChannelKind, keys: [String])
  case apiToken(id: String)
  /// The master key that new files are encrypted with.
  case masterKey
}
