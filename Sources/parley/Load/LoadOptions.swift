internal import ArgumentParser
internal import FloodControl
internal import LoadGenerator

/// What all scenarios take.
struct LoadOptions: ParsableArguments {
  @OptionGroup var gateway: GatewayOptions

  @Option(
    help: ArgumentHelp("How long to measure, such as 500ms, 30s, 5m, 1h.", valueName: "time"))
  var duration = TimeArgument(seconds: 10)

  @Option(help: ArgumentHelp("What passes before that, unmeasured.", valueName: "time"))
  var warmUp = TimeArgument(seconds: 2)

  @Option(help: ArgumentHelp("Loops to share the connections among.", valueName: "count"))
  var threads = 1

  @Option(
    help: ArgumentHelp(
      "The smart throttling that the gateway does, as messages/milliseconds, or off.",
      valueName: "limit"))
  var throttle = RateArgument.standard

  @Option(
    help: ArgumentHelp(
      "An objective, such as 'p99<50ms', 'lost=0', 'cpu_per_delivery<2us'; may be repeated.",
      valueName: "objective"))
  var require: [ObjectiveArgument] = []

  @Option(
    help: ArgumentHelp("Leave report.html, report.json and report.txt there.", valueName: "folder"))
  var report: String?

  @Flag(help: "Print the report as JSON, for programs.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The gateway's process on this machine, for its CPU time and memory.", valueName: "pid"))
  var serverPid: Int32?

  @Option(
    help: ArgumentHelp(
      "The gateway's metrics, for its CPU time and memory, if it runs elsewhere.",
      valueName: "url"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "A numeric address of this machine to connect from; may be repeated. A gateway at 127.x is "
        + "connected to from 127.0.0.1 and those behind it.", valueName: "address"))
  var sourceAddress: [String] = []

  @Option(
    help: ArgumentHelp("Connections from one address, before the next.", valueName: "count"))
  var connectionsPerSource = 20_000

  @Flag(help: "Create the users over the Platform API, with an access token each.")
  var issueTokens = false

  @Flag(help: "Offer permessage-deflate.")
  var compression = false

  func validate() throws {
    guard (1...64).contains(threads) else { throw ValidationError("--threads goes from 1 to 64") }
    guard duration.nanoseconds > 0 else { throw ValidationError("--duration is more than 0") }
    guard serverPid.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--server-pid is the number of a process")
    }
    guard serverPid == nil || metrics == nil else {
      throw ValidationError("give either --server-pid or --metrics")
    }
    for objective in require { _ = try objective.objective }
  }

  /// Makes sure that a number is within its bounds.
  static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError(
        "\(name) goes from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
  }

  /// Carries a plan out, with what was asked for all scenarios.
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

/// A length of time as the command line has it: `30s`, `500ms`, `5m`, `1h`.
struct TimeArgument: ExpressibleByArgument, Equatable {
  private static let units: [(suffix: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]
  /// A week: no load runs longer.
  private static let longest: Int64 = 604_800_000_000_000

  let nanoseconds: Int64

  init?(argument: String) {
    guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
      let number = Int64(argument.dropLast(unit.suffix.count)), number >= 0
    else { return nil }
    let (product, isOverflow) = number.multipliedReportingOverflow(by: unit.nanoseconds)
    guard !isOverflow, product <= Self.longest else { return nil }
    nanoseconds = product
  }

  init(seconds: Int64) {
    nanoseconds = seconds * 1_000_000_000
  }

  var defaultValueDescription: String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}

/// An objective as the command line has it: `p99<50ms`.
struct ObjectiveArgument: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    text = argument
  }

  /// - Throws: What is wrong with it, in words.
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
