internal import ArgumentParser
internal import LoadGenerator

extension LoadCommand {
  /// Very many connect within a short time, while there is talk.
  struct Spike: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "spike",
      abstract: "Very many connect within a short time, while there is talk.",
      discussion: """
        The latency of connecting counts from when each connection was to be made until its session \
        is open and its channel entered; p99 in an objective means that.

        EXAMPLES:
          parley load spike --connections 5000 --over 5s --duration 10s
          parley load spike --require 'p99<2s' --require 'delivery.p99<200ms'
        """)

    @Option(help: ArgumentHelp("Connections that are made.", valueName: "count"))
    var connections = 2000

    @Option(help: ArgumentHelp("The time over which they are spread.", valueName: "time"))
    var over = TimeArgument(seconds: 5)

    @Option(help: ArgumentHelp("Channels, each with one who talks.", valueName: "count"))
    var channels = 10

    @Option(help: ArgumentHelp("Messages a second in each channel.", valueName: "count"))
    var rate = 2.0

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--connections", connections, 1...1_000_000)
      try LoadOptions.check("--channels", channels, 1...10_000)
      guard rate > 0, rate <= 1000 else {
        throw ValidationError("--rate is more than 0 and at most 1000")
      }
      guard over.nanoseconds <= options.duration.nanoseconds else {
        throw ValidationError("--over is not longer than --duration")
      }
    }

    func run() throws {
      try options.run(
        Scenario.spike(
          connections: connections, over: over.nanoseconds, channels: channels, rate: rate))
    }
  }
}

extension LoadCommand {
  /// All are cut off at once, and return at once for what they missed.
  struct Storm: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "storm",
      abstract: "All are cut off at once, and return at once for what they missed.",
      discussion: """
        When a third of the time is over, every listener loses its connection and makes another, \
        recovering from the last event that it saw. The latency of reconnecting counts until it is \
        back in its channel; p99 in an objective means that.

        EXAMPLES:
          parley load storm --connections 2000 --duration 20s
          parley load storm --require 'p99<5s' --require 'lost=0'
        """)

    @Option(help: ArgumentHelp("Connections that are cut off.", valueName: "count"))
    var connections = 1000

    @Option(help: ArgumentHelp("Channels, each with one who talks.", valueName: "count"))
    var channels = 10

    @Option(help: ArgumentHelp("Messages a second in each channel.", valueName: "count"))
    var rate = 2.0

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--connections", connections, 1...1_000_000)
      try LoadOptions.check("--channels", channels, 1...10_000)
      guard rate > 0, rate <= 1000 else {
        throw ValidationError("--rate is more than 0 and at most 1000")
      }
    }

    func run() throws {
      try options.run(Scenario.storm(connections: connections, channels: channels, rate: rate))
    }
  }
}
