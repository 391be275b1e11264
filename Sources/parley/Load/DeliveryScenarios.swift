internal import ArgumentParser
internal import LoadGenerator

extension LoadCommand {
  /// Few send, many receive.
  struct Fanout: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fanout",
      abstract: "Few send to one channel that many are in.",
      discussion: """
        With the gateway's standard limits one sender gets 5 messages a second through, and a \
        subscriber is shown 5 a second: for more, run the gateway with \
        --limits-flood-messages 0 --limits-throttle-messages 0, and give --throttle off.

        EXAMPLES:
          parley load fanout --subscribers 1000 --rate 20 --senders 4 --duration 30s
          parley load fanout --subscribers 1000 --in-flight 16 --throttle off --server-pid 4711 \
        --require 'p99<50ms' --require 'cpu_per_delivery<1us' --report fanout
        """)

    @Option(help: ArgumentHelp("Connections that only receive.", valueName: "count"))
    var subscribers = 1000

    @Option(help: ArgumentHelp("Connections that send.", valueName: "count"))
    var senders = 1

    @Option(help: ArgumentHelp("Messages a second of all senders together.", valueName: "count"))
    var rate = 4.0

    @Option(
      help: ArgumentHelp(
        "Send as fast as answers come, so many of each sender without one; --rate does not count.",
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
        throw ValidationError("--rate is more than 0 and at most 1,000,000")
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
  /// A part of the subscribers reads too slowly; the others should not feel it.
  struct Slow: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "slow",
      abstract: "A part of the subscribers reads too slowly; the others should not feel it.",
      discussion: """
        A gateway puts those out (4004) for whom more waits than limits.outbound_bytes. What they \
        miss is not lost; the others are checked as always, and latencies are theirs alone.

        EXAMPLES:
          parley load slow --subscribers 500 --share 0.1 --rate 100 --bytes 2000 --throttle off
        """)

    @Option(help: ArgumentHelp("Connections that receive.", valueName: "count"))
    var subscribers = 500

    @Option(help: ArgumentHelp("The part of them that reads slowly, 0 to 1.", valueName: "part"))
    var share = 0.1

    @Option(help: ArgumentHelp("Bytes a second that those read.", valueName: "count"))
    var reading = 1000

    @Option(help: ArgumentHelp("Messages a second.", valueName: "count"))
    var rate = 4.0

    @Option(help: ArgumentHelp("Length of each text, 1 to 5,000 bytes.", valueName: "bytes"))
    var bytes = 2000

    @OptionGroup var options: LoadOptions

    func validate() throws {
      try LoadOptions.check("--subscribers", subscribers, 1...1_000_000)
      try LoadOptions.check("--reading", reading, 10...100_000_000)
      try LoadOptions.check("--bytes", bytes, 1...5_000)
      guard (0...1).contains(share), rate > 0, rate <= 100_000 else {
        throw ValidationError("--share goes from 0 to 1, --rate from more than 0 to 100,000")
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
