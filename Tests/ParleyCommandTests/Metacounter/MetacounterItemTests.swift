import Testing

@testable import parley

@Suite("A counter on the command line")
struct MetacounterItemTests {
  @Test("is a name with an integer after the last equals sign")
  func parts() {
    #expect(MetacounterItem(argument: "likes=5")?.number == 5)
    #expect(MetacounterItem(argument: "a=b=-1")?.key == "a=b")
  }

  @Test(
    "is refused in any other form", arguments: ["likes", "=5", "likes=", "likes=1.5", "likes=x"])
  func refused(argument: String) {
    #expect(MetacounterItem(argument: argument) == nil)
  }
}
