import Channels
import ParleyProtocol
import Push
import Store
import Transport

/// The devices of users, below `/v3/users/{id}/push` and `/v3/push/device_tokens`.
///
/// Browsers register themselves; their endpoints are listed and removed like tokens.
enum PushTokenEndpoints {
  /// `POST …/push/{token_type}`: registers a device.
  static func add(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, type) = (try call.userID, try call.pushTokenType)
    let registration = try PushRegister(type, platform: try call.body)
    let services = call.services
    try services.pushes.check(registration)
    let name = registration.address.name
    services.withUser(userID, completion) { user in
      let write = PushRegistration(registration, of: userID, at: services.clock.now)
      services.store.perform(write) { result in
        completion(result.serviceResult) { _, writer in
          writer.object {
            $0.member("token", name)
            $0.member("type", type.rawValue)
            $0.member(user)
          }
        }
      }
    }
  }

  /// `GET …/push/{token_type}`: the tokens of the user, oldest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, type, services) = (try call.userID, try call.pushTokenType, call.services)
    services.withUser(userID, completion) { user in
      services.store.perform(PushTokens(of: userID)) { result in
        completion(result.serviceResult) { tokens, writer in
          let devices = tokens.filter { $0.type == type }
          writer.object {
            $0.member("token", devices.map(\.address.name))
            $0.member("tokens", devices.map(\.address.name))
            $0.member(
              "devices",
              array: { writer in
                for device in devices { device.encode(naming: device.address.name, into: &writer) }
              })
            $0.member("type", type.rawValue)
            $0.member(user)
          }
        }
      }
    }
  }

  /// `DELETE …/push/{token_type}/{token}`: removes a token, if the user has it.
  static func remove(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, type, services) = (try call.userID, try call.pushTokenType, call.services)
    let name = call.arguments["token"]
    services.withUser(userID, completion) { user in
      let removal = PushRemoval(.token(type, name: type.normalized(name)), of: userID)
      services.store.perform(removal) { result in
        completion(result.serviceResult) { _, writer in
          writer.object {
            $0.member("token", name)
            $0.member(user)
          }
        }
      }
    }
  }

  /// `DELETE …/push`: removes all tokens of the user.
  static func removeAll(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, services) = (try call.userID, call.services)
    services.withUser(userID, completion) { user in
      services.store.perform(PushRemoval(.all, of: userID)) { result in
        completion(result.serviceResult) { removed, writer in
          writer.object {
            $0.member("token", removed.map(\.address.name))
            $0.member(user)
          }
        }
      }
    }
  }

  /// `GET /v3/push/device_tokens/{token_type}/{token}`: the user who has the token.
  static func owners(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let type = try call.pushTokenType
    let lookup = PushTokenOwners(type: type, name: call.arguments["token"])
    call.perform(lookup, completion) { $1.userIDs($0) }
  }

  /// `DELETE /v3/push/device_tokens/{token_type}/{token}`: removes the token from the user who has it.
  static func removeFromOwners(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    let type = try call.pushTokenType
    let removal = PushTokenRemoval(type: type, name: call.arguments["token"])
    call.perform(removal, completion) { $1.userIDs($0) }
  }
}

extension PlatformCall {
  /// The type of tokens in the path.
  ///
  /// - Throws: 400111 for another text.
  fileprivate var pushTokenType: PushTokenType {
    get throws(ServiceError) {
      let text = arguments["token_type"]
      guard let type = PushTokenType(rawValue: text) else {
        let names = PushTokenType.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid("token_type", text, expected: "one of \(names)")
      }
      return type
    }
  }
}

extension PushRegister {
  /// Reads the body of the Platform API, whose member is named after the type.
  ///
  /// - Throws: 400111 for `web`.
  fileprivate init(_ type: PushTokenType, platform body: Fields) throws(ServiceError) {
    guard let name = type.platformName else {
      throw .invalid("token_type", type.rawValue, expected: "apns, gcm or huawei")
    }
    // Tokens of other types are of no use here, but a wrong one is a mistake.
    for other in PushTokenType.allCases where other != type {
      guard let name = other.platformName, try body.string(name) != nil else { continue }
      _ = try body.pushToken(name, other)
    }
    self.init(type, .token(try body.pushToken(name, type)))
  }
}

extension PushTokenType {
  /// The member of bodies that has a token of the type; `nil` for browsers, which register themselves.
  fileprivate var platformName: String? {
    switch self {
    case .web: nil
    case .apns: "apns_device_token"
    case .gcm: "gcm_reg_token"
    case .huawei: "huawei_device_token"
    }
  }
}

extension GatewayServices {
  /// Looks up the user in the path of a call.
  fileprivate func withUser(
    _ userID: String, _ completion: Completion, _ next: @escaping @Sendable (User) -> Void
  ) {
    store.perform(AccountLookup(userID)) { result in
      switch result.serviceResult.existing(userID) {
      case .success(let account): next(account.user)
      case .failure(let error): completion.fail(error)
      }
    }
  }
}

extension JSONWriter {
  /// Writes the member `user`.
  fileprivate mutating func member(_ user: User) {
    name("user")
    user.encode(into: &self)
  }

  /// Writes a list of objects with `user_id`.
  fileprivate mutating func userIDs(_ ids: [String]) {
    array { for id in ids { $0.object { $0.member("user_id", id) } } }
  }
}
