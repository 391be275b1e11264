internal import ArgumentParser
internal import FloodControl
internal import LoadGenerator

/// Options of all scenarios.
struct LoadOptions: ParsableArguments {
  private static let longestDuration = TimeArgument(seconds: 604_800)

  @OptionGroup var gateway: GatewayOptions

  @Option(
    help: ArgumentHelp("Time to measure, such as 500ms, 30s, 5m, 1h.", valueName: "time"))
  var duration = TimeArgument(seconds: 10)

  @Option(
    help: ArgumentHelp("Warm-up time before measuring starts; 0s for none.", valueName: "time"))
  var warmUp = TimeArgument(seconds: 2)

  @Option(
    help: ArgumentHelp("Event loops that share the connections, 1 to 64.", valueName: "count"))
  var threads = 1

  @Option(
    help: ArgumentHelp(
      "The gateway's throttle limit as messages/milliseconds, or off.",
      valueName: "limit"))
  var throttle = RateArgument.standard

  @Option(
    help: ArgumentHelp(
      "An objective, such as 'p99<50ms', 'lost=0', 'cpu_per_delivery<2us'; repeatable.",
      valueName: "objective"))
  var require: [ObjectiveArgument] = []

  @Option(
    help: ArgumentHelp(
      "Write report.html, report.json and report.txt to this folder.", valueName: "folder"))
  var report: String?

  @Flag(help: "Print the report as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The gateway's process on this machine, to measure CPU time and memory.", valueName: "pid"))
  var serverPid: Int32?

  @Option(
    help: ArgumentHelp(
      "The gateway's metrics, to measure CPU time and memory on another machine.",
      valueName: "url"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "A numeric local address to connect from; repeatable. (default: any; 127.0.0.1 and the "
        + "addresses after it for a gateway at 127.x)", valueName: "address"))
  var sourceAddress: [String] = []

  @Option(
    help: ArgumentHelp("Connections per local address.", valueName: "count"))
  var connectionsPerSource = 20_000

  @Flag(help: "Create each user with an access token by the Platform API.")
  var issueTokens = false

  @Flag(help: "Delete the channels and users of the run by the Platform API afterwards.")
  var cleanUp = false

  @Flag(help: "Offer compression (permessage-deflate).")
  var compression = false

  func validate() throws {
    guard (1...64).contains(threads) else {
      throw ValidationError("--threads is \(threads); 1 to 64 is expected")
    }
    let longest = Self.longestDuration.nanoseconds
    guard (1...longest).contains(duration.nanoseconds) else {
      throw ValidationError(
        "--duration is \(duration.defaultValueDescription); more than 0s, up to 7d, is expected")
    }
    guard warmUp.nanoseconds <= longest else {
      throw ValidationError(
        "--warm-up is \(warmUp.defaultValueDescription); 0s to 7d is expected")
    }
    guard serverPid.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--server-pid is not positive; a process id is expected")
    }
    guard serverPid == nil || metrics == nil else {
      throw ValidationError("give --server-pid or --metrics, not both")
    }
    for objective in require { _ = try objective.objective }
  }

  /// Checks that a number is within a range.
  static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError(
        "\(name) is \(value); \(range.lowerBound) to \(range.upperBound) is expected")
    }
  }

  /// Runs a plan with these options.
  func run(_ plan: LoadPlan) throws {
    var plan = plan
    plan.duration = duration.nanoseconds
    plan.warmUp = warmUp.nanoseconds
    plan.throttle = RateLimit(
      count: Int(clamping: throttle.messages), windowMilliseconds: throttle.windowMilliseconds)
    plan.settings += [
      ("duration", duration.defaultValueDescription),
      ("warm-up", warmUp.defaultValueDescription), ("threads", "\(threads)"),
      ("throttle", throttleWords(plan.throttle)),
    ]
    try LoadExecution(options: self, plan: plan).run()
  }

  private func throttleWords(_ limit: RateLimit) -> String {
    limit.isOff ? "off" : "\(limit.count) in \(limit.windowMilliseconds) ms"
  }
}

/// An objective, written as `p99<50ms`.
struct ObjectiveArgument: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    text = argument
  }

  /// - Throws: `ValidationError` for an invalid objective.
  var objective: Objective {
    get throws {
      do {
        return try Objective(text)
      } catch {
        throw ValidationError("--require: \(error)")
      }
    }
  }
}
