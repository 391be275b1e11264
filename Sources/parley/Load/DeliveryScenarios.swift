internal import ArgumentParser
internal import LoadGenerator

extension LoadCommand {
  /// Sends to one channel with many subscribers.
  struct Fanout: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fanout",
      abstract: "Send to one channel with many subscribers.",
      discussion: """
        With the gateway's default limits, a user may send and a subscriber receives 5 messages per \
        second. For higher rates, run the gateway with --limits-flood-messages 0, \
        --limits-user-flood-messages 0 and --limits-throttle-messages 0, and give --throttle off here.

        EXAMPLES:
          parley load fanout --subscribers 1000 --rate 20 --senders 4 --duration 30s
          parley load fanout --in-flight 16 --throttle off --require 'p99<50ms'
          parley load fanout --server-pid 4711 --require 'cpu_per_delivery<9us'
        """)

    @Option(help: ArgumentHelp("Connections that only receive.", valueName: "count"))
    var subscribers = 1000

    @Option(help: ArgumentHelp("Connections that send.", valueName: "count"))
    var senders = 1

    @Option(help: ArgumentHelp("Messages per second of all senders together.", valueName: "count"))
    var rate = 4.0

    @Option(
      help: ArgumentHelp(
        "Keep this many unanswered messages in flight per sender; --rate is then ignored.",
        valueName: "count"))
    var inFlight: Int?

    @Option(help: ArgumentHelp("Length of each text, 1 to 5,000 bytes.", valueName: "bytes"))
    var bytes = 128

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--subscribers", subscribers, 1...1_000_000)
      try LoadOptions.check("--senders", senders, 1...100_000)
      try LoadOptions.check("--in-flight", inFlight ?? 1, 1...10_000)
      try LoadOptions.check("--bytes", bytes, 1...5_000)
      guard rate > 0, rate <= 1_000_000 else {
        throw ValidationError("--rate is \(rate); more than 0, up to 1,000,000, is expected")
      }
    }

    func run() throws {
      try options.run(
        Scenario.fanout(
          subscribers: subscribers, senders: senders,
          pace: inFlight.map(Scenario.Pace.window) ?? .rate(rate), bytes: bytes))
    }
  }
}

extension LoadCommand {
  /// Lets some subscribers read too slowly and measures the effect on others.
  struct Slow: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "slow",
      abstract: "Let some subscribers read too slowly and measure the effect on others.",
      discussion: """
        A gateway disconnects clients (4004) whose queue exceeds limits.outbound_bytes. Their missing \
        messages do not count as lost. Deliveries and latencies are those of the other subscribers.

        EXAMPLES:
          parley load slow --subscribers 500 --share 0.1 --rate 100 --bytes 2000 --throttle off
        """)

    @Option(help: ArgumentHelp("Connections that receive.", valueName: "count"))
    var subscribers = 500

    @Option(
      help: ArgumentHelp("The fraction of them that reads slowly, 0 to 1.", valueName: "fraction"))
    var share = 0.1

    @Option(help: ArgumentHelp("Bytes per second that slow subscribers read.", valueName: "count"))
    var reading = 1000

    @Option(help: ArgumentHelp("Messages per second.", valueName: "count"))
    var rate = 4.0

    @Option(help: ArgumentHelp("Length of each text, 1 to 5,000 bytes.", valueName: "bytes"))
    var bytes = 2000

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--subscribers", subscribers, 1...1_000_000)
      try LoadOptions.check("--reading", reading, 10...100_000_000)
      try LoadOptions.check("--bytes", bytes, 1...5_000)
      guard (0...1).contains(share), rate > 0, rate <= 100_000 else {
        throw ValidationError(
          "--share is \(share) and --rate is \(rate); 0 to 1, and more than 0 up to 100,000 are expected"
        )
      }
    }

    func run() throws {
      try options.run(
        Scenario.slow(
          subscribers: subscribers, slow: Int((Double(subscribers) * share).rounded()),
          slowness: reading, pace: .rate(rate), bytes: bytes))
    }
  }
}
