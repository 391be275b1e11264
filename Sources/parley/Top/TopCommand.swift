internal import ArgumentParser
internal import Configuration

/// Shows a gateway's load continuously.
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show the load of a gateway continuously.",
    discussion: """
      Reads /metrics, which a gateway serves on operations.listen, or, without that setting, to its \
      own machine only. If --server does not serve it, the command finds operations.listen in the \
      settings of the gateway: with an API token, or in /etc/parley/parley.yaml on its machine.

      On a terminal, q quits and Ctrl-Z suspends, and figures that need attention are red with an \
      exclamation mark; elsewhere one line is printed per interval. With an API token, which is found \
      as for other commands, a terminal also shows the busiest channels of all servers.

      EXAMPLES:
        parley top
        parley top --metrics http://127.0.0.1:9100/metrics --interval 5
        parley top --count 10 > load.txt
      """)

  @OptionGroup var gateway: GatewayOptions

  @Option(
    help: ArgumentHelp(
      "The URL of the metrics. (default: /metrics of --server or of operations.listen)",
      valueName: "url"))
  var metrics: String?

  @Option(help: ArgumentHelp("Interval, 1s to 1h.", valueName: "time"))
  var interval = TimeArgument(seconds: 2)

  @Option(
    help: ArgumentHelp("Number of intervals to show. (default: unlimited)", valueName: "count"))
  var count: Int?

  func validate() throws {
    guard (1_000...3_600_000).contains(interval.milliseconds) else {
      throw ValidationError(
        "--interval is \(interval.defaultValueDescription); 1s to 1h is expected")
    }
    guard (count ?? 1) > 0 else {
      throw ValidationError("--count is \(count ?? 0); at least 1 is expected")
    }
  }

  /// Returns the source of the metrics, with its first reading.
  private func source() throws -> (MetricsSource, first: MetricsSource.Reading) {
    let values = try gateway.server.values(AccessValues.Flags())
    let server = try ServerOptions.address(values.server)
    func source(_ url: String) throws -> (MetricsSource, first: MetricsSource.Reading) {
      guard let address = ServerAddress(url) else {
        throw ValidationError("--metrics is \"\(url)\"; an http or https URL is expected")
      }
      let route = try NetworkRoute(to: address, authorityFile: values.caCertificate)
      let source = try MetricsSource(url: url, route: route)
      return (source, try source.read())
    }
    if let metrics { return try source(metrics) }
    do {
      return try source(server.httpBase + "/metrics")
    } catch let failure as CommandFailure where failure.mayBeElsewhere {
      let addresses = try addresses(of: server, after: failure)
      return try source(MetricsPlace(server: server).url(listening: addresses))
    }
  }

  /// Returns `operations.listen` of a gateway that does not serve metrics at its own address.
  ///
  /// - Throws: The failure, with the reason why the addresses are unknown.
  private func addresses(
    of server: ServerAddress, after failure: CommandFailure
  ) throws -> [ListenAddress] {
    let unknown: any Error
    do { return try MetricsPlace.addresses(of: gateway.client()) } catch { unknown = error }
    // A server other than a gateway responded, or none.
    guard case .refused = failure else { throw failure }
    if server.isOnThisMachine, let addresses = MetricsPlace.addressesOnThisMachine() {
      return addresses
    }
    throw CommandFailure.refused(
      "\(server.httpBase) does not serve metrics: give the address of operations.listen, as in "
        + "--metrics http://127.0.0.1:9464/metrics, or an API token to find it (\(unknown))",
      code: 0)
  }

  func run() throws {
    let (source, first) = try source()
    var before = first
    let live = LiveScreen(title: source.url)
    let screen: any LoadScreen = live ?? PlainLoadLines()
    defer { screen.end() }
    // Without a token the load is shown without channels.
    let channels = live == nil ? nil : (try? gateway.client()).map(BusiestReader.init)
    var rest = count ?? .max
    var history = LoadHistory()
    while rest > 0, screen.wait(for: .nanoseconds(interval.nanoseconds)) {
      let after = try source.read()
      let seconds = before.time.duration(to: after.time) / .seconds(1)
      let load = GatewayLoad(before: before.text, after: after.text, seconds: seconds)
      history.add(load)
      screen.show(LoadText(load: load, history: history, busiest: channels?.read()))
      before = after
      rest -= 1
    }
  }
}

/// Reads a gateway's metrics.
struct MetricsSource {
  /// The metrics, and the time of the response.
  typealias Reading = (text: MetricsText, time: ContinuousClock.Instant)

  let url: String
  private let client: PlatformClient

  init(url: String, route: NetworkRoute) throws {
    self.url = url
    client = try PlatformClient(base: url, token: nil, route: route)
  }

  /// Reads the metrics and the current time.
  func read() throws -> Reading {
    let answer = try client.call("GET", "")
    return (MetricsText(String(decoding: answer, as: UTF8.self)), .now)
  }
}
