/// One end of the numbered link between two servers.
///
/// Frames that the bus loses are named by the receiver and resent, so messages arrive once and in
/// order. When one end cannot keep the unconfirmed data, it *resets* the link: it drops its data and
/// raises its number, and the other end, which learns the number from a greeting, does the same. Data
/// counts only under the exact pair of numbers, so no data from before a reset arrives after it.
///
///     A                               B
///     greeting (1, 0) ───────────────►   learns A's number
///       learns B's    ◄─────────────── greeting (1, 1)
///       is open: data (1, 1) ────────►   is open
///
/// A server never reuses an id, so numbers begin at 1. Time is passed in; ``flush(at:into:)`` is
/// called at the end of each turn and at ``deadline``.
package struct ServerLink {
  package let local: ServerID
  package let peer: ServerID
  package private(set) var counters = LinkCounters()
  private let limits: LinkLimits
  private let versions: LinkVersions

  private var numbers = LinkNumbers(sender: 1, receiver: 0)
  private var peerVersions: LinkVersions?
  /// Whether the peer has shown that it knows both numbers.
  package private(set) var isOpen = false
  private var outgoing: OutgoingStream
  private var incoming: IncomingStream

  private var greetAt: Int64
  private var greetingPause: Int64
  private var answeredAt = Int64.min / 2
  private var mustAnswer = false
  /// The latest time for confirming received data.
  private var confirmAt: Int64?
  private var unconfirmedBytes = 0
  /// The time of the next request to confirm sent frames.
  private var askAt: Int64?
  private var nameGapsAt = Int64.min
  /// The highest known number when gaps were last named.
  private var namedThrough: UInt64 = 0

  package init(
    from local: ServerID, to peer: ServerID, limits: LinkLimits,
    versions: LinkVersions = .current, at now: Int64
  ) {
    self.local = local
    self.peer = peer
    self.limits = limits
    self.versions = versions
    outgoing = OutgoingStream(payloadLimit: limits.frameBytes - FrameCodec.overhead)
    incoming = IncomingStream(messageLimit: limits.keptBytes)
    greetAt = now
    greetingPause = limits.repeatDelay
  }

  /// The version of data frames on this link, once the peer is known and has a common version.
  package var version: UInt8? { peerVersions.flatMap(versions.common(with:)) }

  /// Bytes that are kept for the peer.
  package var keptByteCount: Int { outgoing.byteCount }

  /// Queues a message for the peer; it is sent by the next ``flush(at:into:)`` of an open link.
  package mutating func send(
    _ message: [UInt8], at now: Int64, into actions: inout [LinkAction]
  ) {
    guard message.count <= limits.keptBytes - outgoing.byteCount else {
      return reset(.overflow, at: now, into: &actions)
    }
    outgoing.append(message, at: now)
  }

  /// Takes a greeting of the peer.
  package mutating func receive(
    greeting theirs: LinkNumbers, _ versions: LinkVersions, at now: Int64,
    into actions: inout [LinkAction]
  ) {
    guard theirs.receiver <= numbers.sender else { return counters.invalid += 1 }
    guard theirs.sender >= numbers.receiver else { return counters.stale += 1 }
    if theirs.sender > numbers.receiver {
      // No data is sent before the link is open, so none is lost.
      if isOpen { drop(.peer, into: &actions) }
      numbers.receiver = theirs.sender
      greetAt = now
      greetingPause = limits.repeatDelay
    }
    peerVersions = versions
    guard version != nil else { return counters.otherVersions += 1 }
    if theirs.receiver == numbers.sender { open() }
    mustAnswer = true
  }

  /// Takes a data frame of the peer.
  package mutating func receive(
    _ data: LinkData, _ theirs: LinkNumbers, version: UInt8, at now: Int64,
    into actions: inout [LinkAction]
  ) {
    guard theirs.sender == numbers.receiver, theirs.receiver == numbers.sender else {
      return counters.stale += 1
    }
    guard version == self.version, data.confirmed <= outgoing.sent,
      incoming.canReach(data.sent)
    else {
      return counters.invalid += 1
    }
    open()
    if outgoing.confirm(through: data.confirmed) {
      askAt = outgoing.isUnconfirmed ? now + limits.repeatDelay : nil
    }
    refill(data.gaps, at: now, into: &actions)
    incoming.note(sent: data.sent)
    if data.sequence > 0 { take(data, at: now, into: &actions) }
  }

  /// Sends what is due.
  package mutating func flush(at now: Int64, into actions: inout [LinkAction]) {
    if let oldest = outgoing.oldest, now - oldest >= limits.keptTime {
      reset(.silence, at: now, into: &actions)
    }
    guard isOpen else { return greet(at: now, into: &actions) }
    while let (number, payload) = outgoing.takeUnsent() {
      transmit(number, payload, at: now, into: &actions)
    }
    let gaps = gapsToName(at: now)
    if !gaps.isEmpty || min(confirmAt ?? .max, askAt ?? .max) <= now
      || mustAnswer && canAnswer(at: now)
    {
      if mustAnswer { answeredAt = now }
      mustAnswer = false
      transmit(0, [], gaps: gaps, at: now, into: &actions)
    }
  }

  /// The time of the next ``flush(at:into:)`` without further events; `nil` for none.
  package var deadline: Int64? {
    var next = Int64.max
    if let oldest = outgoing.oldest { next = oldest + limits.keptTime }
    if isOpen {
      if outgoing.hasUnsent { return .min }
      if let confirmAt { next = min(next, confirmAt) }
      if let askAt { next = min(next, askAt) }
      if incoming.hasGaps { next = min(next, nameGapsAt) }
    } else {
      next = min(next, greetAt)
    }
    if mustAnswer { next = min(next, answeredAt + limits.answerPause) }
    return next == .max ? nil : next
  }

  // MARK: Opening and resetting

  private mutating func open() {
    guard !isOpen else { return }
    isOpen = true
    mustAnswer = true
  }

  private mutating func greet(at now: Int64, into actions: inout [LinkAction]) {
    guard now >= greetAt || mustAnswer && canAnswer(at: now) else { return }
    if mustAnswer { answeredAt = now }
    mustAnswer = false
    greetAt = now + greetingPause
    greetingPause = min(greetingPause * 2, limits.greetingPause)
    actions.append(.transmit(frame(.greeting(numbers, versions))))
  }

  private func canAnswer(at now: Int64) -> Bool { now >= answeredAt + limits.answerPause }

  private mutating func reset(
    _ reason: LinkResetReason, at now: Int64, into actions: inout [LinkAction]
  ) {
    numbers.sender += 1
    greetAt = now
    greetingPause = limits.repeatDelay
    drop(reason, into: &actions)
  }

  private mutating func drop(_ reason: LinkResetReason, into actions: inout [LinkAction]) {
    isOpen = false
    outgoing = OutgoingStream(payloadLimit: limits.frameBytes - FrameCodec.overhead)
    incoming = IncomingStream(messageLimit: limits.keptBytes)
    mustAnswer = false
    confirmAt = nil
    unconfirmedBytes = 0
    askAt = nil
    nameGapsAt = .min
    namedThrough = 0
    counters.resets += 1
    actions.append(.reset(reason))
  }

  // MARK: Sending

  private func frame(_ content: Frame.Content) -> Frame {
    Frame(sender: local, receiver: peer, content)
  }

  private mutating func transmit(
    _ number: UInt64, _ payload: [UInt8], gaps: [ClosedRange<UInt64>] = [], at now: Int64,
    into actions: inout [LinkAction]
  ) {
    guard let version else { return }
    let data = LinkData(
      sequence: number, sent: outgoing.sent, confirmed: incoming.received, gaps: gaps,
      payload: payload)
    confirmAt = nil
    unconfirmedBytes = 0
    askAt = outgoing.isUnconfirmed ? now + limits.repeatDelay : nil
    actions.append(.transmit(frame(.data(numbers, version: version, data))))
  }

  private mutating func refill(
    _ gaps: [ClosedRange<UInt64>], at now: Int64, into actions: inout [LinkAction]
  ) {
    var room = limits.refillBytes
    for gap in gaps {
      var number = max(gap.lowerBound, outgoing.confirmed + 1)
      while number <= gap.upperBound, room > 0, let payload = outgoing.payload(of: number) {
        room -= payload.count
        counters.refills += 1
        transmit(number, payload, at: now, into: &actions)
        number += 1
      }
    }
  }

  // MARK: Receiving

  private mutating func take(
    _ data: LinkData, at now: Int64, into actions: inout [LinkAction]
  ) {
    var messages: [[UInt8]] = []
    do throws(IncomingStream.Violation) {
      if try !incoming.take(data.payload, number: data.sequence, into: &messages) {
        counters.stale += 1
      }
    } catch {
      return reset(.violation, at: now, into: &actions)
    }
    unconfirmedBytes += data.payload.count
    confirmAt =
      unconfirmedBytes >= limits.confirmationBytes
      ? now : confirmAt ?? now + limits.confirmationDelay
    for message in messages { actions.append(.deliver(message)) }
  }

  /// The gaps to name now: new ones, and ones that were last named some time ago.
  private mutating func gapsToName(at now: Int64) -> [ClosedRange<UInt64>] {
    guard incoming.hasGaps, incoming.highest > namedThrough || now >= nameGapsAt else { return [] }
    let gaps = incoming.gaps(limit: LinkData.gapLimit)
    let isNew = gaps.contains { $0.upperBound > namedThrough }
    namedThrough = incoming.highest
    guard isNew || now >= nameGapsAt else { return [] }
    nameGapsAt = now + limits.repeatDelay
    counters.gaps += 1
    return gaps
  }
}
