internal import Glibc

/// Reads a process's usage from the kernel of this machine.
///
/// CPU time comes from the process's own clock, exact to the nanosecond; memory is what is private
/// and anonymous, from `/proc/PID/status`, so that shared libraries do not count.
package struct ProcessFileUsage: UsageSource {
  private let process: Int32

  /// - Parameter process: Its number; 0 for the calling process.
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
    guard let text = Self.contents(of: path) else { return nil }
    return Self.residentAnonymousBytes(in: text)
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

  private static func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
