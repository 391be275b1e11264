import Testing

@testable import Configuration

@Suite("The version")
struct ReleaseTests {
  @Test("is a three-part number, shown to others without the build")
  func number() {
    #expect(Release.version.hasPrefix(Release.number))
    let parts = Release.number.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 3 && parts.allSatisfy { Int($0) != nil }, "\(Release.number)")
  }
}
