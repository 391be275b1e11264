internal import ArgumentParser
internal import LoadGenerator

/// Many talk in many channels, as people do.
struct ChatterLoad: ParsableCommand {
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
