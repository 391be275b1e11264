package import ParleyProtocol

/// A device to which a user's messages are pushed.
package struct PushToken: Sendable, Hashable {
  package var type: PushTokenType
  package var address: PushAddress
  /// Empty when it was not given.
  package var deviceID: String
  /// The time of the last registration, in Unix milliseconds.
  package var createdAt: Int64
  /// The time of the last push that the service accepted, in Unix milliseconds; 0 if there is none.
  package var lastSuccessAt: Int64

  package init(
    type: PushTokenType, address: PushAddress, deviceID: String = "", createdAt: Int64,
    lastSuccessAt: Int64 = 0
  ) {
    self.type = type
    self.address = address
    self.deviceID = deviceID
    self.createdAt = createdAt
    self.lastSuccessAt = lastSuccessAt
  }

  /// Whether both name the same device at the same service.
  package func isSame(as other: PushToken) -> Bool {
    type == other.type && address.name == other.address.name
  }
}

extension [PushToken] {
  /// The tokens of a user after a registration, and those that it removed.
  ///
  /// A token replaces itself, the other token of its device, and with `unique` all others of its type. Of
  /// more than 20 of a type, the oldest is removed.
  ///
  /// - Parameter now: Unix milliseconds.
  package func registering(
    _ registration: PushRegister, at now: Int64
  ) -> (tokens: [PushToken], removed: [PushToken]) {
    var token = PushToken(
      type: registration.type, address: registration.address, deviceID: registration.deviceID,
      createdAt: now)
    token.lastSuccessAt = first { $0.isSame(as: token) }?.lastSuccessAt ?? 0
    var tokens: [PushToken] = []
    var removed: [PushToken] = []
    for old in self where !old.isSame(as: token) {
      if registration.replaces(old) { removed.append(old) } else { tokens.append(old) }
    }
    let rivals = tokens.filter { $0.type == token.type }.sorted { $0.createdAt < $1.createdAt }
    for oldest in rivals.prefix(Swift.max(0, rivals.count + 1 - Limits.pushTokenCount)) {
      tokens.removeAll { $0.isSame(as: oldest) }
      removed.append(oldest)
    }
    return (tokens + [token], removed)
  }

  /// The tokens of a user that a call removes.
  package func removed(by call: PushUnregister) -> [PushToken] {
    switch call {
    case .all: self
    case .type(let type): filter { $0.type == type }
    case .token(let type, let name): filter { $0.type == type && $0.address.name == name }
    }
  }
}

extension PushRegister {
  /// Whether another token of the user is removed.
  fileprivate func replaces(_ old: PushToken) -> Bool {
    old.type == type && (isUnique || !deviceID.isEmpty && old.deviceID == deviceID)
  }
}
