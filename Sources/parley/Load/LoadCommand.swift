internal import ArgumentParser

/// Loads a gateway and measures.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Load a gateway, check every delivery, and report.",
    discussion: """
      Each connection is a user of its own. What every subscriber should have been sent follows \
      from the senders' answers and the limits in force, and is compared delivery by delivery. \
      Latencies count from when a message was to be sent, so a server that stalls can't hide it. \
      Ends early with Ctrl-C, with a report of what was.

      The exit status is 1 when an objective was missed or a delivery was wrong.
      """,
    subcommands: [
      Fanout.self, Chatter.self, Spike.self, Storm.self, Flood.self,
      Slow.self, Soak.self,
    ])
}
