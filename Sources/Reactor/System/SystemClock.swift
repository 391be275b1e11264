import CLinux
import Glibc

/// The kernel's clocks.
package enum SystemClock {
  /// Milliseconds since some moment in the past; never goes back.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// Nanoseconds since some moment in the past; never goes back.
  package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Unix milliseconds; goes where the administrator sets it.
  package static var unixMilliseconds: Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000 }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A timer with microsecond precision; the loop's own timers are coarse.
///
/// Register ``descriptor`` for reading with a loop, and call ``acknowledge()`` when it is ready.
package final class PrecisionTimer {
  /// Readable once the moment has come.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = Kernel.makeTimer()
    guard descriptor >= 0 else { throw .last("timerfd_create") }
  }

  deinit {
    Socket.close(descriptor)
  }

  /// Sets the moment, in nanoseconds of ``SystemClock/monotonicNanoseconds``; one that has passed
  /// is there at once.
  package func set(to nanoseconds: Int64) {
    // A moment of zero would switch the timer off.
    clinux_timer_set(descriptor, max(1, nanoseconds))
  }

  /// Makes ``descriptor`` unreadable until the next moment.
  package func acknowledge() {
    var count: UInt64 = 0
    _ = Kernel.read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
