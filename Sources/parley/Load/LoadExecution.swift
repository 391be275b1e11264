internal import ArgumentParser
internal import ClientTransport
internal import Configuration
internal import LoadGenerator
internal import ParleyProtocol
internal import Reactor

/// Runs a plan, shows its progress and writes the report.
struct LoadExecution {
  /// The error code of a session rejected without a valid token.
  private static let tokenRequired = 400_302

  let options: LoadOptions
  let plan: LoadPlan

  /// - Throws: `ExitCode(1)` when an objective was missed or a delivery was wrong.
  func run() throws {
    let target = try target()
    let usage = try usageSource()
    let cleaning = options.cleanUp ? try cleaning(target) : nil
    switch Result(catching: { try measure(target, usage) }) {
    case .success(let isGood):
      try cleaning?.clean()
      if !isGood { throw ExitCode(1) }
    case .failure(let error):
      do {
        try cleaning?.clean()
      } catch let failure {
        StandardError.write("Error: \(failure)")
      }
      throw error
    }
  }

  /// Runs the plan and shows the report.
  ///
  /// - Returns: Whether all objectives were met and all deliveries were right.
  private func measure(_ target: LoadTarget, _ usage: (any UsageSource)?) throws -> Bool {
    let interrupt = InterruptFlag()
    let count = interrupt.count
    let live = LoadProgressLine(isShown: Terminal.isOutput && !options.json)
    let run = LoadRun(
      plan, target, server: usage, isInterrupted: { count.isSet },
      observe: { live.show($0) })
    var report: LoadReport
    do throws(LoadFailure) {
      report = try run.run(threads: options.threads)
    } catch {
      live.end()
      throw CommandFailure.unreachable(error.description + hint(error))
    }
    live.end()
    try describeOrigin(of: &report)
    report.judge(try options.require.map { try $0.objective })
    try ReportFiles(report).show(json: options.json, folder: options.report)
    return report.isGood
  }

  /// Returns a hint for a gateway that requires tokens when the users have none.
  private func hint(_ failure: LoadFailure) -> String {
    guard case .notConnected(_, let reasons) = failure, !options.issueTokens,
      reasons.contains(where: { $0.contains("\(Self.tokenRequired):") })
    else { return "" }
    return "; --issue-tokens creates the users with access tokens"
  }

  private func cleaning(_ target: LoadTarget) throws -> LoadCleaning {
    LoadCleaning(client: try options.gateway.client(), run: target.run, plan: plan)
  }

  private func describeOrigin(of report: inout LoadReport) throws {
    report.origin.generator = "\(Release.name) \(Release.version)"
    report.origin.target = try gateway().0.httpBase
    report.origin.commandLine = RunOrigin.commandLine(
      ["parley"] + CommandLine.arguments.dropFirst(), hiding: ["--api-token", "--access-token"])
  }

  private func target() throws -> LoadTarget {
    let (address, route) = try gateway()
    var settings = ConnectionSettings(serverURL: address.webSocketURL)
    settings.proxyURL = route.proxyURL
    settings.compression = options.compression ? .offered : .notOffered
    settings.tls.authorityPaths = route.authorityFile.map { [$0] } ?? []
    settings.headers = [("User-Agent", "parley-load")]
    let run = UInt32.random(in: .min ... .max)
    let tokens = options.issueTokens ? try issueTokens(run) : []
    do {
      return try LoadTarget(
        run: run, settings: settings, accessTokens: tokens, sources: options.sourceAddress,
        connectionsPerSource: options.connectionsPerSource)
    } catch let error as LoadTarget.SourceFault {
      throw ValidationError(error.description)
    } catch let ConnectionPlanError.invalidConfiguration(reason) {
      throw ValidationError(reason)
    }
  }

  private func gateway() throws -> (ServerAddress, NetworkRoute) {
    let values = try options.gateway.server.values(AccessValues.Flags())
    let address = try ServerOptions.address(values.server)
    return (address, try NetworkRoute(to: address, authorityFile: values.caCertificate))
  }

  private func issueTokens(_ run: UInt32) throws -> [String] {
    let client = try options.gateway.client()
    return try plan.members.indices.map { place in
      var body = RequestBody()
      body.set("user_id", LoadTarget.userID(run: run, place: place))
      body.set("nickname", "Load \(place)")
      body.set("profile_url", "")
      body.set("issue_access_token", true)
      return try AccessTokenAnswer.token(try client.callPatiently("POST", "/v3/users", body: body))
    }
  }

  private func usageSource() throws -> (any UsageSource)? {
    if let url = options.metrics { return try metricsUsage(url) }
    guard let process = options.serverPid else { return nil }
    let source = ProcessFileUsage(process: process)
    guard source.read() != nil else {
      throw ValidationError(
        "--server-pid: the CPU time of process \(process) cannot be read; is it running?")
    }
    return source
  }

  private func metricsUsage(_ url: String) throws -> MetricsUsage {
    guard let address = ServerAddress(url) else {
      throw ValidationError("--metrics is \"\(url)\"; an http or https URL is expected")
    }
    let values = try options.gateway.server.values(AccessValues.Flags())
    let route = try NetworkRoute(to: address, authorityFile: values.caCertificate)
    let source = try MetricsSource(url: url, route: route)
    _ = try source.read()
    return MetricsUsage(source: source)
  }
}

/// Parses the response to the creation of a user with a token.
enum AccessTokenAnswer {
  static func token(_ answer: [UInt8]) throws -> String {
    guard let token = try? JSONDocument(answer).root["access_token"]?.string, !token.isEmpty else {
      throw CommandFailure.unreachable("the answer has no access token: is it a Parley gateway?")
    }
    return token
  }
}

/// Reads the usage of a server on another machine from its metrics.
///
/// CPU time has the resolution of the kernel's clock ticks; memory is the resident set.
struct MetricsUsage: UsageSource {
  let source: MetricsSource

  func read() -> ProcessUsage? {
    guard let text = try? source.read().text, let cpu = text.sum("process_cpu_seconds_total"),
      let memory = text.sum("process_resident_memory_bytes"), cpu >= 0, memory >= 0,
      cpu < 1e9, memory < 1e15
    else { return nil }
    return ProcessUsage(cpu: Int64(cpu * 1e9), memory: Int64(memory))
  }
}
