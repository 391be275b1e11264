import Testing

@testable import LoadGenerator

@Suite("Process usage")
struct ProcessUsageTests {
  @Test("anonymous memory in bytes is parsed from the kernel's text")
  func parsed() {
    let text = "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t    1234 kB\nRssFile:\t 5 kB\n"
    #expect(ProcessFileUsage.residentAnonymousBytes(in: text) == 1_263_616)
    #expect(ProcessFileUsage.residentAnonymousBytes(in: "RssAnon: x kB") == nil)
    #expect(ProcessFileUsage.residentAnonymousBytes(in: "") == nil)
    #expect(ProcessFileUsage.residentAnonymousBytes(in: "RssAnon: \(Int64.max) kB") == nil)
  }

  @Test("this process has usage, and a missing process has none")
  func own() throws {
    let usage = try #require(ProcessFileUsage(process: 0).read())
    #expect(usage.cpu > 0 && usage.memory > 0)
    #expect(ProcessFileUsage(process: .max).read() == nil)
  }
}
