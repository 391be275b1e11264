internal import ArgumentParser

/// Commands for load tests of a gateway.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Load a gateway, check every delivery and print a report.",
    discussion: """
      Each connection has a user of its own. Expected deliveries are computed from the answers to \
      the senders and the limits in force, and each is compared with the actual one. Latency is \
      measured from the scheduled time of a message, so stalls of the server are included. Ctrl-C \
      ends a run early and prints its report.

      The exit status is 1 if an objective was missed or a delivery was wrong.
      """,
    subcommands: [
      Fanout.self, Chatter.self, Spike.self, Storm.self, Flood.self,
      Slow.self, Soak.self, Compare.self,
    ])
}
