internal import Glibc
internal import Reactor

/// The process metrics of every Prometheus client library, and metrics of the build and the log.
package enum ProcessMetrics {
  /// Reads the metrics from the kernel; unreadable ones are left out.
  ///
  /// Opens and lists files under `/proc`: call this when metrics are requested, not on a hot path.
  ///
  /// - Parameter version: The version of the program.
  package static func samples(version: String) -> [MetricSample] {
    var samples = [
      MetricSample(
        MetricDefinition(
          "parley_build_info", kind: .gauge, help: "1, with the version of the program.",
          labels: [MetricDefinition.Label("version", version)]),
        .level(1)),
      MetricSample(
        MetricDefinition(
          "parley_log_lines_lost_total", kind: .counter,
          help: "Log lines that were dropped or could not be written."),
        .level(Int64(Telemetry.lostLineCount))),
    ]
    if let status = readStatus() { samples += statusSamples(status) }
    if let open = openDescriptors() {
      samples.append(
        gauge("process_open_fds", "Number of open file descriptors.", .level(open)))
    }
    if let limit = descriptorLimit() {
      samples.append(
        gauge("process_max_fds", "Largest number of open file descriptors.", .level(limit)))
    }
    return samples
  }

  static func statusSamples(_ status: ProcessStatus) -> [MetricSample] {
    [
      MetricSample(
        MetricDefinition(
          "process_cpu_seconds_total", kind: .counter,
          help: "Processor time spent in user and system mode, in seconds."),
        .real(status.cpuSeconds)),
      gauge(
        "process_resident_memory_bytes", "Memory held in RAM, in bytes.",
        .count(status.residentBytes)),
      gauge(
        "process_virtual_memory_bytes", "Address space in use, in bytes.",
        .count(status.virtualBytes)),
      gauge("process_threads", "Number of threads.", .level(status.threadCount)),
      gauge(
        "process_start_time_seconds", "Start of the process, in seconds of Unix time.",
        .real(status.startSeconds)),
    ]
  }

  private static func gauge(
    _ name: String, _ help: String, _ value: MetricSample.Value
  ) -> MetricSample {
    MetricSample(MetricDefinition(name, kind: .gauge, help: help), value)
  }

  private static func readStatus() -> ProcessStatus? {
    guard let stat = text(of: "/proc/self/stat"),
      let systemStat = text(of: "/proc/stat")
    else { return nil }
    return ProcessStatus(
      stat: stat, systemStat: systemStat,
      ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Reads a text file up to 1 MiB; `nil` when it cannot be read or is not text.
  private static func text(of path: String) -> String? {
    guard let bytes = try? FileContents.read(path, atMost: 1_048_576) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Counts the entries of `/proc/self/fd`, without the descriptor that is opened to read them.
  private static func openDescriptors() -> Int64? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count: Int64 = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count - 1
  }

  private static func descriptorLimit() -> Int64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int64(clamping: limit.rlim_cur)
  }
}

/// The kernel's figures about this process, parsed from files in `/proc` (proc(5)).
struct ProcessStatus: Sendable, Equatable {
  var residentBytes: UInt64
  var virtualBytes: UInt64
  var cpuSeconds: Double
  var startSeconds: Double
  var threadCount: Int64

  /// Parses `/proc/self/stat` and the boot time in `/proc/stat`; `nil` when their format differs.
  ///
  /// - Parameters:
  ///   - ticksPerSecond: The unit of the times in `stat`.
  ///   - pageBytes: The unit of the resident size.
  init?(stat: String, systemStat: String, ticksPerSecond: Int, pageBytes: Int) {
    // The name, in parentheses, may itself contain spaces and parentheses.
    guard ticksPerSecond > 0, pageBytes > 0, let nameEnd = stat.lastIndex(of: ")"),
      let boot = Self.bootTime(in: systemStat)
    else { return nil }
    // The first field after the name is the third field of the line.
    let fields = stat[stat.index(after: nameEnd)...].split(whereSeparator: \.isWhitespace)
    func field(_ number: Int) -> UInt64? {
      fields.indices.contains(number - 3) ? UInt64(fields[number - 3]) : nil
    }
    guard let user = field(14), let system = field(15), let threads = field(20),
      let start = field(22), let virtual = field(23), let pages = field(24)
    else { return nil }
    residentBytes = pages.multipliedReportingOverflow(by: UInt64(pageBytes)).partialValue
    virtualBytes = virtual
    cpuSeconds = (Double(user) + Double(system)) / Double(ticksPerSecond)
    startSeconds = boot + Double(start) / Double(ticksPerSecond)
    threadCount = Int64(clamping: threads)
  }

  private static func bootTime(in systemStat: String) -> Double? {
    let line = systemStat.split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Double($0.dropFirst("btime ".count)) }
  }
}
