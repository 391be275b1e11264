/// Where a gateway's metrics are read.
struct MetricsSource {
  let url: String

  /// Reads them, and the moment of that.
  func read() throws -> (text: MetricsText, time: ContinuousClock.Instant) {
    let answer = try PlatformClient(base: url, token: nil).call("GET", "")
    return (MetricsText(String(decoding: answer, as: UTF8.self)), .now)
  }
}
