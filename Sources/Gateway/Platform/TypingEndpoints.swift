import Channels
import ParleyProtocol

/// Typing of members of a group, below `/v3/group_channels/{url}`.
enum TypingEndpoints {
  /// `POST …/typing`: shows that members are typing, for 10 s or until their next messages.
  static func start(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.set(isTyping: true, in: try call.body, completion)
  }

  /// `DELETE …/typing`: shows that members are no longer typing.
  static func stop(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.set(isTyping: false, in: try call.body, completion)
  }
}

extension PlatformCall {
  fileprivate func set(
    isTyping: Bool, in body: Fields, _ completion: Completion
  ) throws(ServiceError) {
    let ids = try body.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    guard !ids.isEmpty else { throw .missing("user_ids") }
    try inChannel(completion) { channel in
      if let stranger = ids.first(where: { channel.memberState(of: $0) == nil }) {
        return completion.fail(
          .invalid("user_ids", stranger, expected: "members of the group"))
      }
      for id in ids {
        channel.perform(.group(.typing(isTyping)), onBehalfOf: User(id: id)) { _, _ in }
      }
      completion.empty(.success(()))
    }
  }
}
