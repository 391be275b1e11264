import Testing

@testable import parley

@Suite("A gateway's load")
struct GatewayLoadTests {
  private static func metrics(_ messages: Int, fast: Int, slow: Int) -> MetricsText {
    MetricsText(
      """
      # HELP parley_messages_total Messages.
      # TYPE parley_messages_total counter
      parley_messages_total{outcome="accepted"} \(messages)
      parley_messages_total{outcome="updated"} 1
      parley_connections 7
      parley_message_acknowledgement_seconds_bucket{le="0.001"} \(fast)
      parley_message_acknowledgement_seconds_bucket{le="0.01"} \(fast + slow)
      parley_message_acknowledgement_seconds_bucket{le="+Inf"} \(fast + slow)
      broken{ 1
      nonsense
      """)
  }

  private func load(_ old: MetricsText, _ new: MetricsText) -> GatewayLoad {
    GatewayLoad(before: old, after: new, seconds: 2)
  }

  @Test("is how much counters grew in a second")
  func rates() {
    let load = load(
      Self.metrics(100, fast: 0, slow: 0), Self.metrics(110, fast: 0, slow: 0))
    #expect(load.rate("parley_messages_total", where: "outcome", is: "accepted") == 5)
    #expect(load.rate("parley_messages_total", where: "outcome", is: "updated") == 0)
    #expect(load.rate("unknown") == 0)
    #expect(load.now("parley_connections") == 7)
  }

  @Test("is what counters are after a restart that set them back")
  func restart() {
    let load = load(Self.metrics(100, fast: 0, slow: 0), Self.metrics(10, fast: 0, slow: 0))
    #expect(load.rate("parley_messages_total", where: "outcome", is: "accepted") == 5)
  }

  @Test("has latencies of what was measured meanwhile")
  func quantiles() {
    let name = "parley_message_acknowledgement_seconds"
    let load = load(Self.metrics(0, fast: 50, slow: 50), Self.metrics(0, fast: 149, slow: 51))
    #expect(load.quantile(0.5, of: name) == 0.001)
    #expect(load.quantile(0.999, of: name) == 0.01)
    #expect(load.quantile(0.5, of: "unknown") == nil)
  }

  @Test("is shown in lines as wide as their heading")
  func text() {
    let empty = MetricsText("")
    let text = LoadText(load: GatewayLoad(before: empty, after: empty, seconds: 0))
    #expect(text.line.count == LoadText.heading.count)
    #expect(text.screen.contains { $0.contains("accepted/s 0.0") })
    #expect(LoadText.fixed(12.34, digits: 1) == "12.3")
    #expect(LoadText.fixed(.infinity, digits: 1) == "-")
    #expect(LoadText.fixed(.nan, digits: 0) == "-")
  }
}
