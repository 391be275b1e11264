/// The knowledge of a ``Membership`` about its way to the registry.
struct RegistryContact {
  private let answerTime: Int64
  /// The time of the last answer, at first that of the registration.
  private var answeredAt: Int64
  /// Since when all has been answered in time.
  private var inReachSince: Int64?
  /// The time of the question that is not answered.
  private var askedAt: Int64?
  /// The time of the oldest question since the last answer.
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

  /// Notes a question if one is due; one at a time.
  mutating func startReading(at now: Int64) -> Bool {
    guard mustRead, askedAt == nil else { return false }
    mustRead = false
    askedAt = now
    missingSince = missingSince ?? now
    return true
  }

  /// - Returns: The time of the question.
  mutating func answered(at now: Int64) -> Int64 {
    let askedAt = askedAt ?? now
    // What others wrote meanwhile may have waited as long.
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

  /// - Parameter stoppedUntil: The end of a time in which this server was stopped itself, if it was.
  mutating func wasAway(stoppedUntil: Int64? = nil) {
    inReachSince = nil
    if let stoppedUntil, missingSince != nil { missingSince = stoppedUntil }
  }
}

/// The knowledge of a ``Membership`` about its way to the bus: the beats that come back.
struct BusContact {
  private let echoTime: Int64
  private var number: UInt64 = 0
  private var sentAt: Int64 = 0
  /// The time of the oldest beat of those that have not come back, or of a later one of them.
  private(set) var missingSince: Int64?
  private var beat = Echo()
  private var probe = Echo()

  private struct Echo {
    var number: UInt64 = 0
    var time: Int64?
  }

  init(echoTime: Int64) { self.echoTime = echoTime }

  /// Whether beats have come back by both inboxes.
  var hasHeard: Bool { beat.time != nil && probe.time != nil }

  /// Returns the number of a beat that is sent now.
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

  /// The number of the last beat that has come back by both inboxes.
  private var returnedNumber: UInt64 { min(beat.number, probe.number) }

  private mutating func noteReturn(after number: UInt64) {
    guard returnedNumber > number else { return }
    missingSince = returnedNumber == self.number ? nil : sentAt
  }

  /// Gives beats as long to come back as after one that did.
  mutating func wasAway(at now: Int64) {
    if beat.time != nil { beat.time = now }
    if probe.time != nil { probe.time = now }
    if missingSince != nil { missingSince = now }
  }

  private func note(_ number: UInt64, in echo: inout Echo, at now: Int64) {
    // One that was sent again says nothing of the present.
    guard number > echo.number, number <= self.number else { return }
    echo = Echo(number: number, time: now)
  }
}
