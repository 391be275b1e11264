internal import ArgumentParser
internal import LoadGenerator
internal import Reactor

extension LoadCommand {
  /// Many talk in many channels, as people do.
  struct Chatter: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "chatter",
      abstract: "Many talk in many channels, as people do.",
      discussion: """
        Texts are short and long, some beyond ASCII. With --links, that part of them has a link to a \
        page that this program serves at 127.0.0.1, which the gateway must be allowed to fetch \
        (--unfurl-allow-addresses 127.0.0.0/8 --unfurl-allow-ports 1-65535), or to --link-base.

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
  /// The same as chatter for long, while connections come and go.
  struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "soak",
      abstract: "The same as chatter for long, while connections come and go.",
      discussion: """
        What matters is in the plots: memory and latency should stay where they are.

        EXAMPLES:
          parley load soak --duration 1h --server-pid 4711 --report soak
          parley load soak --duration 12h --cut-every 200ms --require 'memory_growth<20MiB'
        """)

    @OptionGroup var chatter: ChatterOptions

    @Option(
      help: ArgumentHelp(
        "One listener after the other is cut off and returns, one in this time; 0s for none.",
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
  /// Abusers flood some channels; the others should not feel it.
  struct Flood: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flood",
      abstract: "Abusers flood some channels; the others should not feel it.",
      discussion: """
        Half of the time there is only talk, then the abusers in a quarter of the channels send far \
        more than they may. Latencies are those of what the others say; 'shift' is how many times \
        their 99th percentile during the flood is that before.

        EXAMPLES:
          parley load flood --abusers 50 --abuse 100 --duration 20s
          parley load flood --require 'shift<1.5' --require 'p99<100ms'
        """)

    @Option(help: ArgumentHelp("Channels.", valueName: "count"))
    var channels = 20

    @Option(help: ArgumentHelp("Users in each channel, without abusers.", valueName: "count"))
    var users = 20

    @Option(help: ArgumentHelp("Those in each channel that talk.", valueName: "count"))
    var talkers = 2

    @Option(help: ArgumentHelp("Messages a second of each that talks.", valueName: "count"))
    var rate = 1.0

    @Option(help: ArgumentHelp("Abusers.", valueName: "count"))
    var abusers = 20

    @Option(help: ArgumentHelp("Messages a second of each abuser.", valueName: "count"))
    var abuse = 100.0

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--channels", channels, 1...10_000)
      try LoadOptions.check("--users", users, 1...100_000)
      try LoadOptions.check("--talkers", talkers, 1...users)
      try LoadOptions.check("--abusers", abusers, 1...100_000)
      guard rate > 0, rate <= 1000, abuse > 0, abuse <= 10_000 else {
        throw ValidationError("--rate goes up to 1000 and --abuse to 10,000, from more than 0")
      }
    }

    func run() throws {
      let chatter = LoadGenerator.Chatter(
        channels: channels, users: users, talkers: talkers, rate: rate)
      try options.run(Scenario.flood(chatter, abusers: abusers, abuse: abuse))
    }
  }
}

/// Who talks where, and of what.
struct ChatterOptions: ParsableArguments {
  private static let linkCount = 50

  @Option(help: ArgumentHelp("Channels.", valueName: "count"))
  var channels = 50

  @Option(help: ArgumentHelp("Users in each channel.", valueName: "count"))
  var users = 20

  @Option(help: ArgumentHelp("Those in each channel that talk.", valueName: "count"))
  var talkers = 5

  @Option(help: ArgumentHelp("Messages a second of each that talks.", valueName: "count"))
  var rate = 0.5

  @Option(
    help: ArgumentHelp("The part of the messages that has a link, 0 to 1.", valueName: "part"))
  var links = 0.0

  @Option(
    help: ArgumentHelp(
      "What links begin with, instead of pages of this program; a number follows.",
      valueName: "url"))
  var linkBase: String?

  func validate() throws {
    try LoadOptions.check("--channels", channels, 1...100_000)
    try LoadOptions.check("--users", users, 1...100_000)
    try LoadOptions.check("--talkers", talkers, 1...users)
    try LoadOptions.check("--channels times --users", channels * users, 1...1_000_000)
    guard rate > 0, rate <= 1000, (0...1).contains(links) else {
      throw ValidationError("--rate is more than 0 and at most 1000, --links from 0 to 1")
    }
  }

  var chatter: Chatter {
    Chatter(channels: channels, users: users, talkers: talkers, rate: rate)
  }

  /// Has the pages served for as long as they may be asked for.
  func withContent(_ body: (MessageContent) throws -> Void) throws {
    guard links > 0, linkBase == nil else {
      return try body(mixed(linkBase ?? ""))
    }
    let pages: LinkPages
    do throws(SystemError) {
      pages = try LinkPages()
    } catch {
      throw CommandFailure.unreachable("no pages to link to: \(error)")
    }
    defer { pages.stop() }
    try body(mixed(pages.base))
  }

  private func mixed(_ base: String) -> MessageContent {
    .mixed(MessageMix(linkShare: links, linkBase: base, linkCount: Self.linkCount))
  }
}
