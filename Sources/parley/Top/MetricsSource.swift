/// Where a gateway's metrics are read.
struct MetricsSource {
  let url: String
  private let client: PlatformClient

  init(url: String, route: NetworkRoute) throws {
    self.url = url
    client = try PlatformClient(base: url, token: nil, route: route)
  }

  /// Reads them, and the moment of that.
  func read() throws -> (text: MetricsText, time: ContinuousClock.Instant) {
    let answer = try client.call("GET", "")
    return (MetricsText(String(decoding: answer, as: UTF8.self)), .now)
  }
}
