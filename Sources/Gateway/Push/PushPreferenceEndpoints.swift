import Channels
import ParleyProtocol
import Store

/// The choices of users about pushes, below `/v3/users/{id}/push_preference`.
enum PushPreferenceEndpoints {
  /// `GET …/push_preference`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.perform(PushPreferencesLookup(of: try call.userID), completion) { $0.encode(into: &$1) }
  }

  /// `PUT …/push_preference`: changes the given members.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let change = try PushPreferencesChange(try call.body)
    try call.services.pushes.check(change)
    call.services.changePushPreferences(change, of: userID) { result in
      completion(result) { $0.encode(into: &$1) }
    }
  }

  /// `DELETE …/push_preference`: the user has the defaults again.
  static func reset(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.perform(PushPreferencesReset(of: try call.userID), completion) { $0.encode(into: &$1) }
  }

  /// `PUT …/push/template`: whether pushes show the text of messages.
  static func chooseTemplate(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    let userID = try call.userID
    guard let template = try call.body.choice("name", of: PushTemplate.self) else {
      throw .missing("name")
    }
    var change = PushPreferencesChange()
    change.template = template
    call.services.changePushPreferences(change, of: userID) { result in
      completion(result) { preferences, writer in
        writer.object { $0.member("name", preferences.template.rawValue) }
      }
    }
  }

  /// `GET …/push_preference/{channel_url}`.
  static func viewOfChannel(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    try call.viewOwnMembership(completion) { $0.encodePushPreference(into: &$1) }
  }

  /// `PUT …/push_preference/{channel_url}`.
  static func updateOfChannel(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    guard let option = try call.body.channelPushTrigger() else {
      throw .missing("push_trigger_option")
    }
    let command = GroupCommand.changeOwn(.preferPushes(option, counting: nil))
    try call.perform(command, onBehalfOf: try call.userID, completion) { _, result in
      completion(result.flatMap(\.own)) { $0.encodePushPreference(into: &$1) }
    }
  }
}

extension OwnMembership {
  fileprivate func encodePushPreference(into writer: inout JSONWriter) {
    writer.object {
      $0.member("enable", pushTrigger != .off)
      pushTrigger.encodeForPlatform(into: &$0)
    }
  }
}
