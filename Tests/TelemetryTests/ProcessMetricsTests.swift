import Glibc
import Reactor
import TestSupport
import Testing

@testable import Telemetry

@Suite("Process metrics")
struct ProcessMetricsTests {
  private let stat =
    "1234 (a (b) c) S 1 1234 1234 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 7 0 5000 8192000 321"
    + " 18446744073709551615 1 1 0"
  private let systemStat = "cpu 1 2 3\nbtime 1700000000\nprocesses 5\n"

  @Test("the kernel's line is read even when the name contains spaces and parentheses")
  func status() throws {
    let status = try #require(
      ProcessStatus(stat: stat, systemStat: systemStat, ticksPerSecond: 100, pageBytes: 4096))
    #expect(status.cpuSeconds == 4)
    #expect(status.threadCount == 7)
    #expect(status.startSeconds == 1_700_000_050)
    #expect(status.virtualBytes == 8_192_000)
    #expect(status.residentBytes == 321 * 4096)
  }

  @Test("a line in another format yields nothing", arguments: ["", "1 (a) S", "1 a S 1 2 3"])
  func malformed(line: String) {
    #expect(
      ProcessStatus(stat: line, systemStat: systemStat, ticksPerSecond: 100, pageBytes: 4096) == nil
    )
    #expect(ProcessStatus(stat: stat, systemStat: "", ticksPerSecond: 100, pageBytes: 1) == nil)
    #expect(
      ProcessStatus(stat: stat, systemStat: systemStat, ticksPerSecond: 0, pageBytes: 1) == nil)
  }

  @Test("a process without descriptors still reports the metrics that need none")
  func withoutDescriptors() {
    let kernel = ScriptedKernel { $0.kind == .open ? .fail(EMFILE) : .pass }
    let text = kernel.run { PrometheusText.render(ProcessMetrics.samples(version: "1.2.3+build")) }
    #expect(!text.contains("process_cpu_seconds_total"))
    #expect(text.contains("\nprocess_max_fds "))
    #expect(text.contains("\nparley_build_info{version=\"1.2.3+build\"} 1\n"))
  }

  @Test("this process has memory, descriptors, a start time and CPU time")
  func live() {
    let text = PrometheusText.render(ProcessMetrics.samples(version: "1.2.3+build"))
    for name in [
      "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
      "process_cpu_seconds_total", "process_start_time_seconds", "process_threads",
    ] {
      #expect(text.contains("\n\(name) "), "\(name)")
    }
    #expect(!text.contains("process_open_fds 0\n"))
    #expect(!text.contains("process_resident_memory_bytes 0\n"))
  }
}
