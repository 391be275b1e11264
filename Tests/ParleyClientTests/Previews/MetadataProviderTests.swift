import Testing

@testable import ParleyClient

@Suite("A fetch of a page's preview")
struct MetadataProviderTests {
  @Test(
    "has a time limit of its own, held within bounds",
    arguments: [
      (.seconds(1), 1000), (.microseconds(1_500_900), 1500), (.zero, 100), (.seconds(31), 30_000),
      (.seconds(Int64.max), 30_000), (.seconds(Int64.min), 100),
    ] as [(Duration, Int64)])
  func timeouts(timeout: Duration, milliseconds: Int64) {
    let call = PreviewCalls.fetch("https://a.b", within: timeout, "f")
    #expect(params(call).contains(#""timeout_ms":\#(milliseconds),"#))
  }
}
