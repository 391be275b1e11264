/// The state of a ``Membership``'s connection to the registry.
struct RegistryContact {
  private let answerTime: Int64
  /// The time of the last answer, initially that of the registration.
  private var answeredAt: Int64
  /// The time since which all requests were answered in time.
  private var inReachSince: Int64?
  /// The time of the unanswered request.
  private var askedAt: Int64?
  /// The time of the oldest request since the last answer.
  private(set) var missingSince: Int64?
  var mustRead = true

  init(answerTime: Int64, at now: Int64) {
    self.answerTime = answerTime
    answeredAt = now
    inReachSince = now
  }

  func isInReach(at now: Int64) -> Bool { now - answeredAt <= answerTime }

  func hasBeenInReach(for time: Int64, at now: Int64) -> Bool {
    guard isInReach(at: now), let inReachSince else { return false }
    return now - inReachSince >= time
  }

  /// Records a request if one is due; only one is sent at a time.
  mutating func startReading(at now: Int64) -> Bool {
    guard mustRead, askedAt == nil else { return false }
    mustRead = false
    askedAt = now
    missingSince = missingSince ?? now
    return true
  }

  /// - Returns: The time of the request.
  mutating func answered(at now: Int64) -> Int64 {
    let askedAt = askedAt ?? now
    // Writes of the other servers in this time may have been delayed as long.
    if now - askedAt > answerTime / 2 || !isInReach(at: now) { inReachSince = nil }
    answeredAt = now
    inReachSince = inReachSince ?? now
    self.askedAt = nil
    missingSince = nil
    return askedAt
  }

  mutating func failed() {
    inReachSince = nil
    askedAt = nil
  }

  /// - Parameter stoppedUntil: The end of a time in which this server itself was stopped, if it was.
  mutating func wasAway(stoppedUntil: Int64? = nil) {
    inReachSince = nil
    if let stoppedUntil, missingSince != nil { missingSince = stoppedUntil }
  }
}

/// The state of a ``Membership``'s connection to the bus: the beats that come back.
struct BusContact {
  private let echoTime: Int64
  private var number: UInt64 = 0
  private var sentAt: Int64 = 0
  /// The time of the oldest beat that has not come back, or of a later such beat.
  private(set) var missingSince: Int64?
  private var beat = Echo()
  private var probe = Echo()

  private struct Echo {
    var number: UInt64 = 0
    var time: Int64?
  }

  init(echoTime: Int64) { self.echoTime = echoTime }

  /// Whether beats have come back through both inboxes.
  var hasHeard: Bool { beat.time != nil && probe.time != nil }

  /// Returns the number of a beat that is being sent.
  mutating func nextNumber(at now: Int64) -> UInt64 {
    number += 1
    sentAt = now
    missingSince = missingSince ?? now
    return number
  }

  func echoAge(at now: Int64) -> Int64? {
    guard let beat = beat.time, let probe = probe.time else { return nil }
    return now - min(beat, probe)
  }

  func isHearing(at now: Int64) -> Bool { echoAge(at: now).map { $0 <= echoTime } ?? false }

  mutating func beatReturned(_ number: UInt64, at now: Int64) {
    let returned = returnedNumber
    note(number, in: &beat, at: now)
    noteReturn(after: returned)
  }

  mutating func probeReturned(_ number: UInt64, at now: Int64) {
    let returned = returnedNumber
    note(number, in: &probe, at: now)
    noteReturn(after: returned)
  }

  /// The number of the last beat that has come back through both inboxes.
  private var returnedNumber: UInt64 { min(beat.number, probe.number) }

  private mutating func noteReturn(after number: UInt64) {
    guard returnedNumber > number else { return }
    missingSince = returnedNumber == self.number ? nil : sentAt
  }

  /// Gives beats as much time to come back as after a beat that did.
  mutating func wasAway(at now: Int64) {
    if beat.time != nil { beat.time = now }
    if probe.time != nil { probe.time = now }
    if missingSince != nil { missingSince = now }
  }

  private func note(_ number: UInt64, in echo: inout Echo, at now: Int64) {
    // A repeated beat is no evidence of the present state.
    guard number > echo.number, number <= self.number else { return }
    echo = Echo(number: number, time: now)
  }
}
