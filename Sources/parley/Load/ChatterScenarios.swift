internal import ArgumentParser
internal import LoadGenerator
internal import Reactor

extension LoadCommand {
  /// Simulates conversations in many channels.
  struct Chatter: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "chatter",
      abstract: "Simulate conversations in many channels.",
      discussion: """
        Texts vary in length, and some have characters outside ASCII. With --links, a part of them \
        links to pages under --link-base, or to pages that this program serves at 127.0.0.1. The \
        gateway fetches the latter only with --unfurl-allow-addresses 127.0.0.0/8 and \
        --unfurl-allow-ports 1-65535.

        EXAMPLES:
          parley load chatter --channels 100 --users 20 --duration 1m
          parley load chatter --links 0.1 --require 'p99<100ms' --report chatter
        """)

    @OptionGroup var chatter: ChatterOptions
    @OptionGroup var options: LoadOptions

    func run() throws {
      try chatter.withContent { content in
        try options.run(Scenario.chatter(chatter.chatter, content: content))
      }
    }
  }
}

extension LoadCommand {
  /// Runs the chatter scenario for a long time with reconnecting clients.
  struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "soak",
      abstract: "Run the chatter scenario for long while clients reconnect.",
      discussion: """
        The plots of the report show whether memory and latency stay constant.

        EXAMPLES:
          parley load soak --duration 1h --server-pid 4711 --report soak
          parley load soak --duration 12h --cut-every 200ms --require 'memory_growth<20MiB'
        """)

    @OptionGroup var chatter: ChatterOptions

    @Option(
      help: ArgumentHelp(
        "Interval at which one client after another is disconnected and reconnects; 0s for never.",
        valueName: "time"))
    var cutEvery = TimeArgument(seconds: 1)

    @OptionGroup var options: LoadOptions

    func run() throws {
      let interval = cutEvery.nanoseconds == 0 ? nil : cutEvery.nanoseconds
      try chatter.withContent { content in
        try options.run(
          Scenario.soak(chatter.chatter, content: content, cuttingEvery: interval))
      }
    }
  }
}

extension LoadCommand {
  /// Floods some channels and measures the effect on others.
  struct Flood: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flood",
      abstract: "Flood some channels and measure the effect on other users.",
      discussion: """
        In the second half of the run, abusers in a quarter of the channels send far more than they \
        may. Latencies are those of other users' messages; 'shift' is their 99th percentile during \
        the flood divided by that before.

        EXAMPLES:
          parley load flood --abusers 50 --abuse 100 --duration 20s
          parley load flood --require 'shift<1.5' --require 'p99<100ms'
        """)

    @Option(help: ArgumentHelp("Number of channels.", valueName: "count"))
    var channels = 20

    @Option(help: ArgumentHelp("Users per channel, without abusers.", valueName: "count"))
    var users = 20

    @Option(help: ArgumentHelp("Users per channel that send.", valueName: "count"))
    var talkers = 2

    @Option(help: ArgumentHelp("Messages per second of each such user.", valueName: "count"))
    var rate = 1.0

    @Option(help: ArgumentHelp("Number of abusers.", valueName: "count"))
    var abusers = 20

    @Option(help: ArgumentHelp("Messages per second of each abuser.", valueName: "count"))
    var abuse = 100.0

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--channels", channels, 1...10_000)
      try LoadOptions.check("--users", users, 1...100_000)
      try LoadOptions.check("--talkers", talkers, 1...users)
      try LoadOptions.check("--abusers", abusers, 1...100_000)
      guard rate > 0, rate <= 1000, abuse > 0, abuse <= 10_000 else {
        throw ValidationError(
          "--rate is \(rate) and --abuse is \(abuse); more than 0, up to 1000 and 10,000, is expected"
        )
      }
    }

    func run() throws {
      let chatter = LoadGenerator.Chatter(
        channels: channels, users: users, talkers: talkers, rate: rate)
      try options.run(Scenario.flood(chatter, abusers: abusers, abuse: abuse))
    }
  }
}

/// Options of a conversation scenario.
struct ChatterOptions: ParsableArguments {
  private static let linkCount = 50

  @Option(help: ArgumentHelp("Number of channels.", valueName: "count"))
  var channels = 50

  @Option(help: ArgumentHelp("Users per channel.", valueName: "count"))
  var users = 20

  @Option(help: ArgumentHelp("Users per channel that send.", valueName: "count"))
  var talkers = 5

  @Option(help: ArgumentHelp("Messages per second of each such user.", valueName: "count"))
  var rate = 0.5

  @Option(
    help: ArgumentHelp("The fraction of messages with a link, 0 to 1.", valueName: "fraction"))
  var links = 0.0

  @Option(
    help: ArgumentHelp(
      "URL prefix of links, followed by a number. (default: pages of this program)",
      valueName: "url"))
  var linkBase: String?

  func validate() throws {
    try LoadOptions.check("--channels", channels, 1...100_000)
    try LoadOptions.check("--users", users, 1...100_000)
    try LoadOptions.check("--talkers", talkers, 1...users)
    try LoadOptions.check("--channels times --users", channels * users, 1...1_000_000)
    guard rate > 0, rate <= 1000, (0...1).contains(links) else {
      throw ValidationError(
        "--rate is \(rate) and --links is \(links); more than 0 up to 1000, and 0 to 1 are expected"
      )
    }
  }

  var chatter: Chatter {
    Chatter(channels: channels, users: users, talkers: talkers, rate: rate)
  }

  /// Serves the linked pages while `body` runs.
  func withContent(_ body: (MessageContent) throws -> Void) throws {
    guard links > 0, linkBase == nil else {
      return try body(mixed(linkBase ?? ""))
    }
    let pages: LinkPages
    do throws(SystemError) {
      pages = try LinkPages()
    } catch {
      throw CommandFailure.unreachable("pages to link to cannot be served: \(error)")
    }
    defer { pages.stop() }
    try body(mixed(pages.base))
  }

  private func mixed(_ base: String) -> MessageContent {
    .mixed(MessageMix(linkShare: links, linkBase: base, linkCount: Self.linkCount))
  }
}
