import CLinux

/// A receiver of a descriptor's readiness.
///
/// Called on the loop's thread only.
package protocol ReadinessHandler: AnyObject {
  func descriptorIsReady(for readiness: Readiness)
}

/// A receiver of the timers that it set.
///
/// Called on the loop's thread only.
package protocol TimerHandler: AnyObject {
  func timerDidFire(_ token: EventLoop.TimerToken)
}

/// Whether a turn left something to do at once.
package enum TurnOutcome: Sendable {
  /// Sleep until something is ready or due.
  case idle
  /// Poll without waiting, then take the next turn.
  case unfinished
}

/// The loop of one thread: waits for readiness, calls handlers, runs timers, ends each turn with a
/// flush.
///
/// Confined to the thread that calls ``run()``. Other threads reach it
/// through a ``Mailbox``.
package final class EventLoop {
  package typealias TimerToken = TimerWheel<any TimerHandler>.Token

  /// Names a watched descriptor.
  package struct Registration: Hashable {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32

    fileprivate var key: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
  }

  private struct Slot {
    var handler: (any ReadinessHandler)?
    var descriptor: Int32 = -1
    var generation: UInt32 = 0
  }

  private let poller: Poller
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  private var timers: TimerWheel<any TimerHandler>
  private var isStopping = false

  /// Milliseconds of the monotonic clock, read once a turn.
  package private(set) var now: Int64

  /// Called at the end of each turn, after readiness and timers.
  package var endOfTurn: () -> TurnOutcome = { .idle }

  package init() throws(SystemError) {
    poller = try Poller()
    now = SystemClock.monotonicMilliseconds
    timers = TimerWheel(now: now)
  }

  /// Watches a descriptor until ``deregister(_:)``.
  package func register(
    _ descriptor: Int32, for interest: Readiness, handler: any ReadinessHandler
  ) throws(SystemError) -> Registration {
    let slot = freeSlots.popLast() ?? appendSlot()
    let registration = Registration(slot: slot, generation: slots[Int(slot)].generation)
    do throws(SystemError) {
      try poller.add(descriptor, interest, key: registration.key)
    } catch {
      freeSlots.append(slot)
      throw error
    }
    slots[Int(slot)].handler = handler
    slots[Int(slot)].descriptor = descriptor
    return registration
  }

  /// Changes the readiness that a descriptor is watched for.
  ///
  /// - Throws: The kernel has no memory; the old interest stays.
  package func update(
    _ registration: Registration, for interest: Readiness
  ) throws(SystemError) {
    guard let slot = liveSlot(registration) else { return }
    try poller.change(slots[slot].descriptor, interest, key: registration.key)
  }

  /// Stops watching.
  ///
  /// The descriptor is still the caller's to close, after this.
  package func deregister(_ registration: Registration) {
    guard let slot = liveSlot(registration) else { return }
    poller.remove(slots[slot].descriptor)
    slots[slot].handler = nil
    slots[slot].generation &+= 1
    freeSlots.append(registration.slot)
  }

  /// Sets a timer, `delay` milliseconds from now, or a little later.
  package func schedule(after delay: Int64, _ handler: any TimerHandler) -> TimerToken {
    let (deadline, isOverflow) = now.addingReportingOverflow(max(0, delay))
    return timers.schedule(handler, at: isOverflow ? .max : deadline)
  }

  /// Takes a timer back.
  package func cancel(_ token: TimerToken) {
    timers.cancel(token)
  }

  /// Takes turns until ``stop()``, then lets go of all handlers, which may hold the loop in turn.
  package func run() {
    var outcome = TurnOutcome.unfinished
    while !isStopping {
      outcome = turn(after: outcome)
    }
    letGo()
  }

  private func letGo() {
    endOfTurn = { .idle }
    // Released when the properties are empty: handlers that end may call the loop.
    let handlers = (slots, timers)
    (slots, freeSlots, timers) = ([], [], TimerWheel(now: now))
    withExtendedLifetime(handlers) {}
  }

  /// Ends ``run()`` when the present turn is over.
  package func stop() {
    isStopping = true
  }

  private func turn(after previous: TurnOutcome) -> TurnOutcome {
    let timeout = previous == .unfinished ? 0 : timers.millisecondsUntilNext(now: now)
    let count = poller.wait(milliseconds: timeout)
    now = SystemClock.monotonicMilliseconds
    for index in 0..<count {
      let (key, readiness) = poller.event(index)
      dispatch(key: key, readiness: readiness)
    }
    fireTimers(at: now)
    return endOfTurn()
  }

  /// Lets the timers fire that are due at a time.
  func fireTimers(at time: Int64) {
    now = time
    for (handler, token) in timers.due(now: time) { handler.timerDidFire(token) }
  }

  private func dispatch(key: UInt64, readiness: Readiness) {
    // The kernel reuses a descriptor's number at once, so an event fetched in the same batch as a
    // close may name its successor: the generation distinguishes them.
    let registration = Registration(
      slot: UInt32(truncatingIfNeeded: key), generation: UInt32(truncatingIfNeeded: key >> 32))
    guard let slot = liveSlot(registration) else { return }
    slots[slot].handler?.descriptorIsReady(for: readiness)
  }

  private func liveSlot(_ registration: Registration) -> Int? {
    let slot = Int(registration.slot)
    guard slot < slots.count, slots[slot].generation == registration.generation,
      slots[slot].handler != nil
    else { return nil }
    return slot
  }

  private func appendSlot() -> UInt32 {
    slots.append(Slot())
    return UInt32(slots.count - 1)
  }
}
