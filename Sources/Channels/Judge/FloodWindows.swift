import FloodControl
import ParleyProtocol

/// A place of a send or change in a user's flood window; given back if it is not used.
struct FloodPlace: Sendable, Hashable {
  let userID: String
  /// The window in which it counts; `nil` if only its bytes count.
  let activity: FloodActivity?
  /// Milliseconds of the steady clock.
  let time: Int64
  /// The bytes taken out of the user's budget.
  let bytes: Int
}

/// The flood windows of a channel's users under the channel's limit.
///
/// All times are milliseconds of the steady clock: a step of the clock changes no window.
struct FloodWindows: Sendable {
  /// The size of an event without the values from its author: names, numbers, the profile.
  private static let envelopeBytes = 512
  /// Underestimates up to this size are not charged.
  private static let toleratedBytes = 1_024

  private var gate = FloodGate<String>()
  private var rate: ByteRate
  /// The limit of messages, and of changes.
  var limit: RateLimit {
    didSet { rate = ByteRate(beside: limit) }
  }

  init(limit: RateLimit) {
    self.limit = limit
    rate = ByteRate(beside: limit)
  }

  /// Whether a window of any user is kept.
  var hasWindows: Bool { gate.windowCount > 0 }

  /// Counts a message that was stored before the channel was loaded.
  mutating func restore(_ userID: String, at time: Int64) {
    gate.restore(userID, at: time, limit: limit)
  }

  /// Takes a place in a user's window; `nil` while the limit is off, so that no place is given back.
  ///
  /// - Parameters:
  ///   - bytes: The size of the user's values, as far as it is known.
  ///   - now: Milliseconds of the steady clock.
  /// - Throws: 900200.
  mutating func takePlace(
    of userID: String, _ activity: FloodActivity, bytes: Int, at now: Int64
  ) throws(ServiceError) -> FloodPlace? {
    guard !limit.isOff else { return nil }
    let place = FloodPlace(
      userID: userID, activity: activity, time: now, bytes: bytes + Self.envelopeBytes)
    let refusal = gate.admit(
      userID, activity, bytes: place.bytes, at: now, limit: limit, rate: rate)
    if let refusal { throw error(refusal) }
    return place
  }

  /// Takes a place that counts in no window, for an event that will cost the user bytes; `nil`
  /// while the limit is off.
  ///
  /// - Throws: 900200 while the user's byte budget is used up.
  mutating func takeBytes(of userID: String, at now: Int64) throws(ServiceError) -> FloodPlace? {
    guard !limit.isOff else { return nil }
    let place = FloodPlace(
      userID: userID, activity: nil, time: now, bytes: Self.envelopeBytes)
    let refusal = gate.admitBytes(place.bytes, of: userID, at: now, limit: limit, rate: rate)
    if let refusal { throw error(refusal) }
    return place
  }

  /// Gives back the place of a call that was later refused or changed nothing.
  mutating func giveBack(_ place: FloodPlace?) {
    guard let place else { return }
    guard let activity = place.activity else {
      return gate.putBack(place.bytes, of: place.userID)
    }
    gate.retract(place.userID, activity, bytes: place.bytes, at: place.time)
  }

  /// The milliseconds until a waiting send may be submitted; `nil` if it may be submitted at once,
  /// because its own place is still in the window, or there is room for another.
  func wait(toMove place: FloodPlace?, at now: Int64) -> Int64? {
    guard let place, let activity = place.activity, !limit.isOff,
      now - place.time >= limit.windowMilliseconds
    else { return nil }
    return gate.usage(of: place.userID, activity, at: now, limit: limit).wait
  }

  /// Moves the place of a waiting send to the time at which it is submitted.
  mutating func move(_ place: inout FloodPlace?, to now: Int64) {
    guard let old = place, let activity = old.activity, !limit.isOff else { return }
    gate.retract(old.userID, activity, at: old.time)
    gate.restore(old.userID, at: now, limit: limit)
    place = FloodPlace(userID: old.userID, activity: activity, time: now, bytes: old.bytes)
  }

  /// Charges the bytes by which an event exceeds the size recorded in its place.
  mutating func settle(_ place: FloodPlace?, bytes: Int, at now: Int64) {
    guard let place, bytes > place.bytes + Self.toleratedBytes else { return }
    gate.charge(place.userID, bytes: bytes - place.bytes, at: now, limit: limit, rate: rate)
  }

  /// A user's window; reading does not change it.
  func usage(of userID: String, _ activity: FloodActivity, at now: Int64) -> WindowUsage {
    gate.usage(of: userID, activity, at: now, limit: limit)
  }

  private func error(_ refusal: FloodRefusal) -> ServiceError {
    switch refusal.cause {
    case .window(.send):
      .flood(retryAfter: refusal.wait, limit: limit.count, window: limit.windowMilliseconds)
    case .window(.change):
      .changeFlood(retryAfter: refusal.wait, limit: limit.count, window: limit.windowMilliseconds)
    case .bytes: .byteFlood(retryAfter: refusal.wait, limit: rate.bytesPerSecond)
    }
  }
}

extension MessageDraft {
  /// The size of the sender's values.
  var byteCount: Int {
    var count = text.utf8.count + data.utf8.count + customType.utf8.count
    for array in metaArrays { count += array.byteCount }
    return count + mentionedUserIDs.count * 256
  }
}

extension MetaArray {
  fileprivate var byteCount: Int {
    values.reduce(key.utf8.count) { $0 + $1.utf8.count + 3 }
  }
}

extension MessageChanges {
  /// The size of the author's values.
  var byteCount: Int { (text?.utf8.count ?? 0) + (data?.utf8.count ?? 0) }
}
