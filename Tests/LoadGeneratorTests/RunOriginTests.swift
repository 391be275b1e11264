import Testing

@testable import LoadGenerator

@Suite("Origin of a run")
struct RunOriginTests {
  @Test(
    "a date is a calendar date",
    arguments: [
      (Int64(0), "1970-01-01 00:00:00 UTC"), (951_782_399_000, "2000-02-28 23:59:59 UTC"),
      (951_782_400_000, "2000-02-29 00:00:00 UTC"), (1_709_251_200_000, "2024-03-01 00:00:00 UTC"),
      (4_107_542_399_999, "2100-02-28 23:59:59 UTC"),
      (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
      (-5, "1969-12-31 23:59:59 UTC"), (.max, "9999-12-31 23:59:59 UTC"),
    ])
  func dates(milliseconds: Int64, expected: String) {
    var origin = RunOrigin()
    origin.startedAt = milliseconds
    #expect(origin.date == expected)
  }

  @Test("a command line can be run again in a shell, without its secrets")
  func commandLine() {
    let arguments = [
      "parley", "load", "fanout", "--require", "p99<50ms", "--api-token", "secret", "--rate=4",
      "--api-token=secret", "it's", "",
    ]
    #expect(
      RunOrigin.commandLine(arguments, hiding: ["--api-token"])
        == "parley load fanout --require 'p99<50ms' --api-token *** --rate=4 --api-token=*** "
        + #"'it'\''s' ''"#)
  }

  @Test("the processor is found under the names that kernels use")
  func processors() {
    #expect(
      Machine.processor(in: "processor\t: 0\nmodel name\t: A  fast CPU @ 2 GHz\nmodel name\t: B\n")
        == "A fast CPU @ 2 GHz")
    #expect(Machine.processor(in: "processor : 0\nModel\t: A board\n") == "A board")
    #expect(Machine.processor(in: "processor\t: 0\nflags\n\n:\n") == "")
  }

  @Test("the local machine is described")
  func current() {
    let machine = Machine.current()
    #expect(!machine.host.isEmpty && machine.kernel.hasPrefix("Linux "))
    #expect(machine.processorCount > 0)
  }

  @Test("unknown rows are omitted")
  func rows() {
    var origin = RunOrigin()
    #expect(origin.rows.isEmpty)
    origin.machine.processor = "X"
    origin.machine.processorCount = 1
    origin.gateway = "parleyd 1.0"
    origin.target = "http://here"
    #expect(origin.rows.map(\.value) == ["X, 1 core", "parleyd 1.0 at http://here"])
  }
}
