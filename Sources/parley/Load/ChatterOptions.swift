internal import ArgumentParser
internal import LoadGenerator
internal import Reactor

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
