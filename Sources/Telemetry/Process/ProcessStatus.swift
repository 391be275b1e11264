/// The kernel's figures about this process, parsed from the texts of `/proc` (proc(5)).
struct ProcessStatus: Sendable, Equatable {
  var residentBytes: UInt64
  var virtualBytes: UInt64
  var cpuSeconds: Double
  var startSeconds: Double
  var threadCount: Int64

  /// Reads `/proc/self/stat` and the boot time in `/proc/stat`; `nil` when they look different.
  ///
  /// - Parameters:
  ///   - ticksPerSecond: The unit of the times in `stat`.
  ///   - pageBytes: The unit of the resident size.
  init?(stat: String, systemStat: String, ticksPerSecond: Int, pageBytes: Int) {
    // The name, in parentheses, may hold spaces and parentheses itself.
    guard ticksPerSecond > 0, pageBytes > 0, let nameEnd = stat.lastIndex(of: ")"),
      let boot = Self.bootTime(in: systemStat)
    else { return nil }
    // The first field after the name is the third of all.
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
