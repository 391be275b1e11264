internal import ArgumentParser
internal import Configuration
internal import Daemon
internal import Logging
internal import Unfurler

/// The preview service's command line: reads the settings, then runs the service or answers about
/// them.
@main
struct ParleyUnfurl: ParsableCommand {
  private static let name = "parley-unfurl"

  static let configuration = DaemonOptions.configuration(
    of: .unfurlService, name, abstract: "Looks link previews up for a gateway, over HTTP.")

  @OptionGroup var options: DaemonOptions

  func run() throws {
    try options.run(
      .unfurlService, Self.name, prepare: { try UnfurlerConfiguration($0.unfurl) }
    ) { settings, fetching in
      let logger = Logger(label: Self.name)
      return DaemonProcess.run(Self.name, logger: logger) {
        try UnfurlDaemon(settings: settings, fetching: fetching, logger: logger)
      }
    }
  }
}
