internal import ArgumentParser
internal import LoadGenerator

extension LoadCommand {
  /// Opens many connections in a short time.
  struct Spike: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "spike",
      abstract: "Open many connections in a short time during conversations.",
      discussion: """
        Latency is the time from the scheduled start of a connection until its session is open and \
        its channel entered. p99 in an objective refers to it.

        EXAMPLES:
          parley load spike --connections 5000 --over 5s --duration 10s
          parley load spike --require 'p99<2s' --require 'delivery.p99<200ms'
        """)

    @Option(help: ArgumentHelp("Connections to open.", valueName: "count"))
    var connections = 2000

    @Option(help: ArgumentHelp("Time over which the connections are spread.", valueName: "time"))
    var over = TimeArgument(seconds: 5)

    @OptionGroup var senders: BackgroundSenders

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--connections", connections, 1...1_000_000)
      guard over.nanoseconds <= options.duration.nanoseconds else {
        throw ValidationError("--over is longer than --duration; give a longer --duration")
      }
    }

    func run() throws {
      try options.run(
        Scenario.spike(
          connections: connections, over: over.nanoseconds, channels: senders.channels,
          rate: senders.rate))
    }
  }
}

extension LoadCommand {
  /// Disconnects all subscribers at once and measures recovery.
  struct Storm: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "storm",
      abstract: "Disconnect all subscribers at once and measure recovery.",
      discussion: """
        After a third of the time every subscriber loses its connection, reconnects and recovers \
        from the last event it received. Latency is the time until the channel is entered again. p99 \
        in an objective refers to it.

        EXAMPLES:
          parley load storm --connections 2000 --duration 20s
          parley load storm --require 'p99<5s' --require 'lost=0'
        """)

    @Option(help: ArgumentHelp("Connections to disconnect.", valueName: "count"))
    var connections = 1000

    @OptionGroup var senders: BackgroundSenders

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--connections", connections, 1...1_000_000)
    }

    func run() throws {
      try options.run(
        Scenario.storm(
          connections: connections, channels: senders.channels, rate: senders.rate))
    }
  }
}

/// Options for senders in addition to the connections of a scenario.
struct BackgroundSenders: ParsableArguments {
  @Option(help: ArgumentHelp("Channels, each with one sender.", valueName: "count"))
  var channels = 10

  @Option(help: ArgumentHelp("Messages per second in each channel.", valueName: "count"))
  var rate = 2.0

  func validate() throws {
    try LoadOptions.check("--channels", channels, 1...10_000)
    guard rate > 0, rate <= 1000 else {
      throw ValidationError("--rate is \(rate); more than 0, up to 1000, is expected")
    }
  }
}
