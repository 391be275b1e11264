import ParleyProtocol
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

  @Test("is the growth of the counters per second")
  func rates() {
    let load = load(
      Self.metrics(100, fast: 0, slow: 0), Self.metrics(110, fast: 0, slow: 0))
    #expect(load.rate("parley_messages_total", where: "outcome", is: "accepted") == 5)
    #expect(load.rate("parley_messages_total", where: "outcome", is: "updated") == 0)
    #expect(load.rate("unknown") == 0)
    #expect(load.now("parley_connections") == 7)
  }

  @Test("is the value of the counters after a restart that reset them")
  func restart() {
    let load = load(Self.metrics(100, fast: 0, slow: 0), Self.metrics(10, fast: 0, slow: 0))
    #expect(load.rate("parley_messages_total", where: "outcome", is: "accepted") == 5)
  }

  @Test("has the latencies of measurements made in between")
  func quantiles() {
    let name = "parley_message_acknowledgement_seconds"
    let load = load(Self.metrics(0, fast: 50, slow: 50), Self.metrics(0, fast: 149, slow: 51))
    #expect(load.quantile(0.5, of: name) == 0.001)
    #expect(load.quantile(0.999, of: name) == 0.01)
    #expect(load.quantile(0.5, of: "unknown") == nil)
  }

  @Test("is wrapped, not cut, on a narrow terminal")
  func narrow() {
    let empty = MetricsText("")
    let text = LoadText(load: GatewayLoad(before: empty, after: empty, seconds: 0))
    let row = LoadRow(name: "row", cells: (0..<6).map { .init(name: "figure\($0)", value: "12") })
    #expect(
      row.lines(width: 40, style: .plain) == [
        "row         figure0 12   figure1 12", "            figure2 12   figure3 12",
        "            figure4 12   figure5 12",
      ])
    let names = text.rows.map(\.name)
    for (name, row) in zip(names, text.rows) {
      #expect(row.lines(width: 80, style: .plain)[0].hasPrefix(name + " "))
    }
    for width in [40, 60, 80, 200] {
      let lines = text.rows.flatMap { $0.lines(width: width, style: .plain) }
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= width && !$0.contains("…") })
    }
  }

  @Test("marks what needs attention")
  func marks() {
    func shown(_ metrics: String) -> String {
      let load = load(MetricsText(""), MetricsText(metrics))
      return LoadText(load: load).rows.flatMap { $0.lines(width: 200, style: .plain) }.joined()
    }
    #expect(
      !shown("parley_store_healthy 1\nprocess_open_fds 10\nprocess_max_fds 100").contains("!"))
    #expect(shown("parley_store_healthy 0").contains("storage FAILING!"))
    #expect(shown("process_open_fds 95\nprocess_max_fds 100").contains("descriptors 95!"))
    #expect(shown(#"parley_messages_total{outcome="failed"} 4"#).contains("failed/s 2.0!"))
    #expect(shown("parley_store_write_queue 1001").contains("store queue 1001!"))
  }

  @Test("lists the five busiest channels below, whatever their names, or why they are missing")
  func busiest() throws {
    func shown(_ busiest: BusiestRows) -> [String] {
      busiest.rows.flatMap { $0.lines(width: 80, style: .plain) }
    }
    let channels = (0..<7).map {
      #"{"channel_url":"room \#($0)\u001b[2J","messages":\#(90 - $0),"participants":3}"#
    }
    let document = try JSONDocument(#"{"channels":[\#(channels.joined(separator: ","))]}"#)
    let lines = shown(BusiestRows(document.root))
    #expect(lines.count == 5)
    #expect(lines[0].hasPrefix("busiest     room 0"))
    #expect(lines[0].hasSuffix("90/min   participants 3"))
    #expect(lines[4].hasPrefix("            room 4"))
    #expect(lines.allSatisfy { !$0.contains("\u{1b}") })
    let failure = CommandFailure.refused("an unknown token", code: 400401)
    let failed = shown(BusiestRows(failure: failure))
    #expect(failed.first?.hasPrefix("busiest     not shown: an unknown token") == true)
    #expect(shown(BusiestRows(try JSONDocument(#"{"channels":[]}"#).root)).isEmpty)
  }

  @Test("has the history of the last minute")
  func history() {
    #expect(LoadHistory.course([0, 7, 3.5], peak: 7) == "▁█▅")
    #expect(LoadHistory.course([0, .nan], peak: 0) == "▁▁")
    // Counters of another process may go back, by any number.
    #expect(LoadHistory.course([-1e300, 1e300, 1], peak: 1) == "▁██")
    #expect(LoadHistory.course([1, .infinity], peak: .infinity) == "▁▁")
    var history = LoadHistory()
    for count in 0..<100 {
      history.add(load(Self.metrics(0, fast: 0, slow: 0), Self.metrics(count, fast: 0, slow: 0)))
    }
    let value = history.cells[0].value
    #expect(value.hasSuffix("peak 49.5") && value.count { "▁▂▃▄▅▆▇█".contains($0) } == 30)
  }

  @Test("is printed in lines as wide as their heading")
  func text() {
    let empty = MetricsText("")
    let text = LoadText(load: GatewayLoad(before: empty, after: empty, seconds: 0))
    #expect(text.line.count == LoadText.heading.count)
    let lines = text.rows.flatMap { $0.lines(width: 80, style: .plain) }
    #expect(lines.contains { $0.contains("accepted/s 0.0") })
    #expect(LoadText.fixed(12.34, digits: 1) == "12.3")
    #expect(LoadText.fixed(.infinity, digits: 1) == "-")
    #expect(LoadText.fixed(.nan, digits: 0) == "-")
  }
}
