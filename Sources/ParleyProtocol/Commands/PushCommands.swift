internal import Basics

/// `push.register`: a device of the caller, to which messages are pushed.
package struct PushRegister: Sendable, Hashable {
  package var type: PushTokenType
  package var address: PushAddress
  /// Whether the user's other tokens of the type are removed.
  package var isUnique: Bool
  /// The device, whose earlier token is replaced; empty when it was not given.
  package var deviceID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    type = try parameters.requiredPushType()
    switch type {
    case .web: address = .subscription(try WebPushSubscription(parameters))
    case .apns, .gcm, .huawei: address = .token(try parameters.pushToken("token", type))
    }
    isUnique = try parameters.boolean("unique") ?? false
    deviceID = try parameters.text("device_id", limit: Limits.pushDeviceIDLength) ?? ""
  }

  /// A registration beside the user's other tokens.
  package init(_ type: PushTokenType, _ address: PushAddress) {
    self.type = type
    self.address = address
    isUnique = false
    deviceID = ""
  }
}

/// `push.unregister`: the caller's tokens to remove.
package enum PushUnregister: Sendable, Hashable {
  case all
  case type(PushTokenType)
  /// - `name`: A token, or the endpoint of a subscription.
  case token(PushTokenType, name: String)

  package init(_ parameters: Fields) throws(ServiceError) {
    if try parameters.boolean("all") == true {
      for name in ["type", "token", "endpoint"] where parameters.value(name) != nil {
        throw .notCombinable(name, "'all' removes the tokens of all types")
      }
      self = .all
      return
    }
    let type = try parameters.requiredPushType()
    let name = type == .web ? "endpoint" : "token"
    let other = type == .web ? "token" : "endpoint"
    guard parameters.value(other) == nil else {
      throw .notCombinable(other, "a token of the type \(type.rawValue) has '\(name)'")
    }
    guard let text = try parameters.text(name, limit: Limits.pushTokenLength) else {
      self = .type(type)
      return
    }
    self = .token(type, name: type.normalized(text))
  }
}

/// `push.preferences`: changes of the caller's choices; absent values stay unchanged.
package struct PushPreferencesChange: Sendable, Hashable {
  package var trigger: PushTriggerOption?
  package var doNotDisturb: Bool?
  package var startHour: Int?
  package var startMinute: Int?
  package var endHour: Int?
  package var endMinute: Int?
  package var timeZone: String?
  package var schedules: [DayDoNotDisturb]?
  package var isSnoozeEnabled: Bool?
  package var snoozeStart: Int64?
  package var snoozeEnd: Int64?
  package var sound: String?
  package var template: PushTemplate?

  /// - Throws: 400111 for a text that is not the name of a time zone; whether the zone exists remains to
  ///   be checked.
  package init(_ parameters: Fields) throws(ServiceError) {
    trigger = try parameters.choice("push_trigger_option", of: PushTriggerOption.self)
    doNotDisturb = try parameters.boolean("do_not_disturb")
    startHour = try parameters.partOfTime("start_hour", below: 24)
    startMinute = try parameters.partOfTime("start_min", below: 60)
    endHour = try parameters.partOfTime("end_hour", below: 24)
    endMinute = try parameters.partOfTime("end_min", below: 60)
    timeZone = try parameters.timeZone("timezone")
    schedules = try parameters.schedules("dnd_schedules")
    isSnoozeEnabled = try parameters.boolean("snooze_enabled")
    snoozeStart = try parameters.integer("snooze_start_ts", in: Limits.timestamps)
    snoozeEnd = try parameters.integer(
      "snooze_end_ts", in: (snoozeStart ?? 0)...Limits.timestamps.upperBound)
    sound = try parameters.name("push_sound", limit: Limits.pushSoundLength)
    template = try parameters.choice("template", of: PushTemplate.self)
  }

  package init() {}

  /// Whether nothing is changed.
  package var isEmpty: Bool { self == Self() }

  /// The preferences after the change.
  ///
  /// Windows by day of the week replace the daily window, and the other way round.
  package func applied(to old: PushPreferences) -> PushPreferences {
    var new = old
    if let trigger { new.trigger = trigger }
    new.window.start =
      (startHour ?? old.window.start / 60) * 60 + (startMinute ?? old.window.start % 60)
    new.window.end = (endHour ?? old.window.end / 60) * 60 + (endMinute ?? old.window.end % 60)
    if let doNotDisturb {
      new.doNotDisturb = doNotDisturb
      if doNotDisturb { new.schedules = [] }
    }
    if let schedules {
      new.schedules = schedules
      if !schedules.isEmpty { new.doNotDisturb = false }
    }
    if let timeZone { new.timeZone = timeZone }
    if let isSnoozeEnabled { new.isSnoozeEnabled = isSnoozeEnabled }
    if let snoozeStart { new.snoozeStart = snoozeStart }
    if let snoozeEnd { new.snoozeEnd = snoozeEnd }
    if let sound { new.sound = sound.isEmpty ? "default" : sound }
    if let template { new.template = template }
    return new
  }
}

/// The form of the names of IANA time zones: `Europe/Berlin`, `Etc/GMT+5`.
package enum TimeZoneName {
  /// Whether a text can be the name of a time zone, and of its file below a folder.
  ///
  /// Each part begins with a letter, so that no name leads out of the folder.
  package static func isValid(_ name: String) -> Bool {
    guard (1...Limits.timeZoneLength).contains(name.utf8.count) else { return false }
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count <= 4
      && parts.allSatisfy { part in
        part.first.map(isLetter) == true && part.allSatisfy(isAllowed)
      }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}

extension ServiceError {
  /// There is no time zone of that name.
  package static func unknownTimeZone(_ name: String) -> ServiceError {
    .invalid("timezone", name, expected: "the name of an IANA time zone such as Europe/Berlin")
  }

  /// The server sends no pushes of that type.
  package static func unsetPushType(_ type: PushTokenType) -> ServiceError {
    ServiceError(
      .invalidValue, "'type' is \"\(type.rawValue)\"; this server sends no such pushes",
      field: "type")
  }

  /// The browser's public key is not a point of the curve P-256.
  package static let pushKeyNotOnCurve = ServiceError(
    .invalidValue, "'p256dh' is not a point of the curve P-256", field: "p256dh")
}

extension Fields {
  fileprivate func requiredPushType() throws(ServiceError) -> PushTokenType {
    guard let type = try choice("type", of: PushTokenType.self) else { throw .missing("type") }
    return type
  }

  /// The required token of a device.
  package func pushToken(
    _ name: String, _ type: PushTokenType
  ) throws(ServiceError) -> String {
    let token = try requiredText(name, limit: Limits.pushTokenLength)
    let isAcceptable =
      switch type {
      // It becomes part of a path.
      case .apns: token.utf8.allSatisfy { $0.hexDigitValue != nil }
      case .web, .gcm, .huawei: token.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      }
    guard isAcceptable else {
      let expected =
        type == .apns ? "the device token in hexadecimal digits" : "a token of ASCII characters"
      throw .invalid(name, token, expected: expected)
    }
    return type.normalized(token)
  }

  /// The user's option for one channel, if given; the Platform API writes `false` for `off`.
  package func channelPushTrigger() throws(ServiceError) -> ChannelPushTriggerOption? {
    let name = "push_trigger_option"
    if case .json(let node) = value(name), node.bool == false { return .off }
    if try string(name) == "false" { return .off }
    return try choice(name, of: ChannelPushTriggerOption.self)
  }

  fileprivate func partOfTime(_ name: String, below limit: Int64) throws(ServiceError) -> Int? {
    try integer(name, in: 0...limit - 1).map(Int.init)
  }

  fileprivate func timeZone(_ name: String) throws(ServiceError) -> String? {
    guard let zone = try text(name, limit: Limits.timeZoneLength) else { return nil }
    guard TimeZoneName.isValid(zone) else { throw .unknownTimeZone(zone) }
    return zone
  }

  /// Windows by day of the week, each day at most once.
  fileprivate func schedules(_ name: String) throws(ServiceError) -> [DayDoNotDisturb]? {
    guard let nodes = try value(name)?.nodes(name, limit: Weekday.allCases.count) else {
      return nil
    }
    var schedules: [DayDoNotDisturb] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let item = try Fields(node)
      guard let day = try item.choice("day_of_week", of: Weekday.self) else {
        throw .missing("day_of_week")
      }
      guard !schedules.contains(where: { $0.day == day }) else {
        throw .invalid(name, day.rawValue, expected: "each day once")
      }
      schedules.append(DayDoNotDisturb(day: day, windows: try item.windows("time_windows")))
    }
    return schedules
  }

  private func windows(_ name: String) throws(ServiceError) -> [DayWindow] {
    guard let nodes = try value(name)?.nodes(name, limit: Limits.pushWindowCount) else {
      throw .missing(name)
    }
    var windows: [DayWindow] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let item = try Fields(node)
      let start = try item.minute("start_hour", "start_min")
      windows.append(DayWindow(start: start, end: try item.minute("end_hour", "end_min")))
    }
    return windows
  }

  private func minute(_ hour: String, _ minute: String) throws(ServiceError) -> Int {
    guard let hours = try partOfTime(hour, below: 24) else { throw .missing(hour) }
    return hours * 60 + (try partOfTime(minute, below: 60) ?? 0)
  }
}

extension WebPushSubscription {
  /// Reads `subscription` as a browser writes it.
  ///
  /// - Throws: One of 400100 to 400151; whether the key is on its curve remains to be checked.
  fileprivate init(_ parameters: Fields) throws(ServiceError) {
    guard let subscription = try parameters.nested("subscription") else {
      throw .missing("subscription")
    }
    guard let keys = try subscription.nested("keys") else { throw .missing("keys") }
    let endpoint = try subscription.requiredText("endpoint", limit: Limits.pushEndpointLength)
    guard let parts = URLParts(endpoint), parts.scheme == "https", parts.userInfo == nil,
      parts.fragment == nil
    else { throw .invalid("endpoint", endpoint, expected: "a URL of https") }
    self.init(
      endpoint: endpoint,
      publicKey: try keys.bytes("p256dh", count: Self.publicKeyByteCount),
      secret: try keys.bytes("auth", count: Self.secretByteCount))
  }
}

extension Fields {
  /// Required bytes in base64url, with or without padding.
  fileprivate func bytes(_ name: String, count: Int) throws(ServiceError) -> [UInt8] {
    let text = try requiredText(name, limit: Limits.pushKeyLength)
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    guard let bytes = Base64URL.decode(Array(digits)), bytes.count == count else {
      throw ServiceError(
        .invalidValue, "'\(name)' must be \(count) bytes in base64url", field: name)
    }
    return bytes
  }
}
