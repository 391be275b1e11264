internal import ParleyProtocol

/// The requests about pushes.
enum PushCalls {
  /// - Parameters:
  ///   - isUnique: Whether the user's other tokens of the type are removed.
  ///   - deviceID: The device, whose earlier token is replaced; `nil` to replace none.
  static func register(
    _ token: String, _ type: PushTokenType, isUnique: Bool, deviceID: String?
  ) -> Call<Void> {
    plain("push.register") {
      $0.member("type", type.rawValue)
      $0.member("token", token)
      if isUnique { $0.member("unique", true) }
      if let deviceID { $0.member("device_id", deviceID) }
    }
  }

  static func unregister(_ token: String, _ type: PushTokenType) -> Call<Void> {
    plain("push.unregister") {
      $0.member("type", type.rawValue)
      $0.member(type == .web ? "endpoint" : "token", token)
    }
  }

  static var unregisterAll: Call<Void> { plain("push.unregister") { $0.member("all", true) } }

  static var tokens: Call<[PushToken]> {
    Call(
      "push.tokens", .safe, params: { _ in },
      reading: { (node: JSONNode) throws(ParleyError) in
        try AnswerReader.list("tokens", of: node, PushToken.read(json:)).compactMap(\.self)
      })
  }

  /// Makes the given changes, and returns all preferences.
  static func prefer(
    _ changes: (inout JSONWriter) -> Void = { _ in }
  ) -> Call<ParleyProtocol.PushPreferences> {
    Call(
      "push.preferences", .safe, params: changes,
      reading: { (node: JSONNode) throws(ParleyError) in
        let preferences = try AnswerReader.member("preferences", of: node)
        return try AnswerReader.resource { () throws(ResourceError) in
          try ParleyProtocol.PushPreferences(json: preferences)
        }
      })
  }

  static func background(_ isOn: Bool) -> Call<Void> {
    plain("session.background") { $0.member("on", isOn) }
  }

  private static func plain(
    _ method: String, _ params: (inout JSONWriter) -> Void
  ) -> Call<Void> {
    Call(method, .safe, params: params, reading: { (_: JSONNode) throws(ParleyError) in })
  }
}
