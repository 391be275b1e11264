import CLinux
import Glibc

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
