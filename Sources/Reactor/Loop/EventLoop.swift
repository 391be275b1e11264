import CLinux

/// A handler for a descriptor's readiness.
///
/// Called only on the loop's thread.
package protocol ReadinessHandler: AnyObject {
  func descriptorIsReady(for readiness: Readiness)
}

/// A handler for the timers that it set.
///
/// Called only on the loop's thread.
package protocol TimerHandler: AnyObject {
  func timerDidFire(_ token: EventLoop.TimerToken)
}

/// Whether a turn left work that must run immediately.
package enum TurnOutcome: Sendable {
  /// Sleep until something is ready or due.
  case idle
  /// Poll without waiting, then take the next turn.
  case unfinished
}

/// The loop of one thread: waits for readiness, calls handlers, runs timers, and ends each turn with a
/// flush.
///
/// Confined to the thread that calls ``run()``. Other threads reach it
/// through a ``Mailbox``.
package final class EventLoop {
  package typealias TimerToken = TimerWheel<any TimerHandler>.Token

  /// Identifies a watched descriptor.
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

  /// Milliseconds of the monotonic clock, read once per turn.
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

  /// Changes the readiness events that a descriptor is watched for.
  ///
  /// - Throws: If the kernel has no memory; the previous interest stays in force.
  package func update(
    _ registration: Registration, for interest: Readiness
  ) throws(SystemError) {
    guard let slot = liveSlot(registration) else { return }
    try poller.change(slots[slot].descriptor, interest, key: registration.key)
  }

  /// Stops watching a descriptor.
  ///
  /// The caller still has to close the descriptor afterwards.
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

  /// Cancels a timer.
  package func cancel(_ token: TimerToken) {
    timers.cancel(token)
  }

  /// Runs turns until ``stop()``, then releases all handlers, which may hold references to the loop.
  package func run() {
    var outcome = TurnOutcome.unfinished
    while !isStopping {
      outcome = turn(after: outcome)
    }
    letGo()
  }

  private func letGo() {
    endOfTurn = { .idle }
    // Released after the properties are emptied, because handlers may call the loop in their deinit.
    let handlers = (slots, timers)
    (slots, freeSlots, timers) = ([], [], TimerWheel(now: now))
    withExtendedLifetime(handlers) {}
  }

  /// Ends ``run()`` after the current turn.
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

  /// Fires the timers that are due at a time.
  func fireTimers(at time: Int64) {
    now = time
    for (handler, token) in timers.due(now: time) { handler.timerDidFire(token) }
  }

  private func dispatch(key: UInt64, readiness: Readiness) {
    // The kernel reuses a descriptor's number immediately, so an event fetched in the same batch as a
    // close may refer to its successor: the generation distinguishes them.
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
