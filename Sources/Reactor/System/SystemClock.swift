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
