import CLinux
import Glibc

/// The kernel's clocks.
package enum SystemClock {
  /// Milliseconds since an unspecified point in the past; monotonic.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// Nanoseconds since an unspecified point in the past; monotonic.
  package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Unix milliseconds; jumps when the administrator sets the clock.
  package static var unixMilliseconds: Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000 }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A timer with microsecond precision, because the loop's own timers are coarse.
///
/// Register ``descriptor`` for reading with a loop, and call ``acknowledge()`` when it is ready.
package final class PrecisionTimer {
  /// Becomes readable when the timer expires.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = Kernel.makeTimer()
    guard descriptor >= 0 else { throw .last("timerfd_create") }
  }

  deinit {
    Socket.close(descriptor)
  }

  /// Sets the expiry time, in nanoseconds of ``SystemClock/monotonicNanoseconds``; a time in the past
  /// expires immediately.
  package func set(to nanoseconds: Int64) {
    // A time of zero would disarm the timer.
    clinux_timer_set(descriptor, max(1, nanoseconds))
  }

  /// Makes ``descriptor`` unreadable until the timer expires again.
  package func acknowledge() {
    var count: UInt64 = 0
    _ = Kernel.read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
