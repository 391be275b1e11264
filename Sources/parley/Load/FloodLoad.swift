internal import ArgumentParser
internal import LoadGenerator

/// Abusers flood some channels; the others should not feel it.
struct FloodLoad: ParsableCommand {
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
    let chatter = Chatter(channels: channels, users: users, talkers: talkers, rate: rate)
    try options.run(Scenario.flood(chatter, abusers: abusers, abuse: abuse))
  }
}
