import Testing

@testable import parley

@Suite("A counter on the command line")
struct MetacounterItemTests {
  @Test("is a name with a whole number behind the last mark")
  func parts() {
    #expect(MetacounterItem(argument: "likes=5")?.number == 5)
    #expect(MetacounterItem(argument: "a=b=-1")?.key == "a=b")
  }

  @Test("is none otherwise", arguments: ["likes", "=5", "likes=", "likes=1.5", "likes=x"])
  func refused(argument: String) {
    #expect(MetacounterItem(argument: argument) == nil)
  }
}
