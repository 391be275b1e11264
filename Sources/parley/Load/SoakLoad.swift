internal import ArgumentParser
internal import LoadGenerator

/// The same as chatter for long, while connections come and go.
struct SoakLoad: ParsableCommand {
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
