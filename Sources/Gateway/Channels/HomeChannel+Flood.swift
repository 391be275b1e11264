import Channels
import FloodControl
import ParleyProtocol
import Telemetry

/// A place that something took in a user's flood window, to be given back if nothing comes of it.
struct FloodPlace: Sendable, Hashable {
  let userID: String
  let activity: FloodActivity
  /// Unix milliseconds.
  let time: Int64
  /// The bytes taken out of the user's budget.
  let bytes: Int
}

extension HomeChannel {
  /// The size of an event beside what its author gives: names, numbers, the author's profile.
  private static let envelopeBytes = 512
  /// An estimate may be short by this much before the rest is charged.
  private static let toleratedBytes = 1_024

  /// Takes a place in the actor's flood window.
  ///
  /// - Parameters:
  ///   - actor: The actor; the Platform API is exempt.
  ///   - activity: The window.
  ///   - bytes: The size of what the actor gives, as far as it is known.
  ///   - now: Unix milliseconds.
  /// - Returns: `nil` for an actor whom the limit does not hold.
  /// - Throws: 900200.
  func takePlace(
    _ actor: Principal, _ activity: FloodActivity, bytes: Int, at now: Int64
  ) throws(ServiceError) -> FloodPlace? {
    guard let user = actor.user, isFloodLimited(actor) else { return nil }
    let place = FloodPlace(
      userID: user.id, activity: activity, time: now, bytes: bytes + Self.envelopeBytes)
    let refusal = floodGate.admit(
      user.id, activity, bytes: place.bytes, at: now, limit: floodLimit, rate: byteRate)
    if let refusal { throw error(refusal) }
    return place
  }

  /// Takes a place in the window of changes, and counts a refusal.
  func takeChange(_ actor: Principal, bytes: Int = 0) throws(ServiceError) -> FloodPlace? {
    do throws(ServiceError) {
      return try takePlace(actor, .change, bytes: bytes, at: services.clock.now)
    } catch {
      node.counters.add(to: .refusedFlood)
      throw error
    }
  }

  /// Gives back the place of something that was refused or changed nothing.
  func giveBack(_ place: FloodPlace?) {
    guard let place else { return }
    floodGate.retract(place.userID, place.activity, bytes: place.bytes, at: place.time)
  }

  /// Charges what an event turned out to be larger than its place accounts for.
  func settle(_ place: FloodPlace?, bytes: Int) {
    guard let place, bytes > place.bytes + Self.toleratedBytes else { return }
    floodGate.charge(
      place.userID, bytes: bytes - place.bytes, at: services.clock.now, limit: floodLimit,
      rate: byteRate)
  }

  /// The error that answers a refusal.
  func error(_ refusal: FloodRefusal) -> ServiceError {
    switch refusal.cause {
    case .window(.send):
      .flood(
        retryAfter: refusal.wait, limit: floodLimit.count, window: floodLimit.windowMilliseconds)
    case .window(.change):
      .changeFlood(
        retryAfter: refusal.wait, limit: floodLimit.count, window: floodLimit.windowMilliseconds)
    case .bytes: .byteFlood(retryAfter: refusal.wait, limit: byteRate.bytesPerSecond)
    }
  }
}

extension MessageDraft {
  /// The size of what the sender gives.
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
  /// The size of what the author gives.
  var byteCount: Int { (text?.utf8.count ?? 0) + (data?.utf8.count ?? 0) }
}
