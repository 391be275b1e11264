internal import Glibc
internal import Reactor

/// The resource usage of a process so far.
package struct ProcessUsage: Sendable, Hashable {
  /// CPU time of all threads of the process, in nanoseconds.
  package var cpu: Int64
  /// Private memory, in bytes.
  package var memory: Int64

  package init(cpu: Int64, memory: Int64) {
    self.cpu = cpu
    self.memory = memory
  }
}

/// A source of the server's resource usage.
package protocol UsageSource {
  /// Reads the current usage; `nil` if that fails.
  func read() -> ProcessUsage?
}

/// Reads a process's usage from the kernel of this machine.
///
/// CPU time comes from the process's own clock, exact to the nanosecond. Memory is the private
/// anonymous part, from `/proc/PID/status`, so that shared libraries do not count.
package struct ProcessFileUsage: UsageSource {
  private let process: Int32

  /// - Parameter process: The process id; 0 for the calling process.
  package init(process: Int32) {
    self.process = process
  }

  package func read() -> ProcessUsage? {
    guard let cpu = cpuTime(), let memory = memory() else { return nil }
    return ProcessUsage(cpu: cpu, memory: memory)
  }

  private func cpuTime() -> Int64? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return nil
    }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func memory() -> Int64? {
    let path = process == 0 ? "/proc/self/status" : "/proc/\(process)/status"
    guard let bytes = try? FileContents.read(path, atMost: 65_536) else { return nil }
    return Self.residentAnonymousBytes(in: String(decoding: bytes, as: UTF8.self))
  }

  /// Finds the line `RssAnon: 1234 kB`.
  static func residentAnonymousBytes(in text: String) -> Int64? {
    for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard fields.count == 3, let kilobytes = Int64(fields[1]) else { return nil }
      let (bytes, isOverflow) = kilobytes.multipliedReportingOverflow(by: 1024)
      return isOverflow ? nil : bytes
    }
    return nil
  }
}
