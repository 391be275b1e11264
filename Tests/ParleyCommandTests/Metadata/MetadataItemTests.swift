import Testing

@testable import parley

@Suite("An item of metadata on the command line")
struct MetadataItemTests {
  @Test("has a key and a value, which may contain more equals signs")
  func parts() {
    #expect(MetadataItem(argument: "a=b=c")?.value == "b=c")
    #expect(MetadataItem(argument: "a=")?.value == "")
    #expect(MetadataItem(argument: "=a") == nil)
    #expect(MetadataItem(argument: "a") == nil)
  }
}
