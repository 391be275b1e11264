internal import ArgumentParser
internal import Configuration
internal import Glibc
internal import ParleyClient
internal import Reactor

/// The command line for operators and developers.
struct Parley: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parley",
    abstract: "Operate and inspect a Parley gateway.",
    discussion: """
      Commands call the gateway at --server with an API token; watch and chat open a session as \
      --user. These options stand before or after the command. Their values may also come from \
      PARLEY_CLI_SERVER, PARLEY_CLI_API_TOKEN, PARLEY_CLI_USER and PARLEY_CLI_TOKEN, or from a \
      profile in ~/.config/parley/profiles.yaml. http_proxy, https_proxy and no_proxy are used as \
      usual, except for addresses of this machine.

      EXIT STATUS:
        0    success
        1    the gateway refused the call, or nothing was done
        2    the gateway could not be reached
        64   invalid command line, environment or profile
        74   the answer could not be written
        128+ ended by a signal
      """,
    version: "\(Release.name) \(Release.version)",
    subcommands: [
      ChannelCommand.self, GroupCommand.self, MessageCommand.self, UserCommand.self,
      ImportCommand.self, ModerationCommand.self, ReportCommand.self, FilterCommand.self,
      LimitsCommand.self, PreviewCommand.self, TranslationCommand.self,
      TokenCommand.self, HooksCommand.self, WebhooksCommand.self, PushCommand.self,
      SearchCommand.self, RetentionCommand.self,
      FileCommand.self, SessionsCommand.self, ClusterCommand.self, StoreCommand.self,
      ExportCommand.self, PrivacyCommand.self, BackupCommand.self, RestoreCommand.self,
      ConnectionsCommand.self, StatusCommand.self, UsageCommand.self, TopCommand.self,
      DrainCommand.self,
      WatchCommand.self, ChatCommand.self, LoadCommand.self, ConfigCommand.self,
      CompletionCommand.self,
    ])

  /// Runs the command and exits with its status.
  static func main() async {
    // A closed pipe ends the process without a message, as for other command-line programs.
    signal(SIGPIPE, SIG_DFL)
    do {
      try await run(parseAsRoot(LeadingOptions.moved(ProgramArguments.read())))
      try StandardOutput.flush()
    } catch let failure as CommandFailure {
      fail(failure)
    } catch let error as ParleyError {
      fail(CommandFailure(error))
    } catch {
      exit(withError: error)
    }
  }

  private static func run(_ command: any ParsableCommand) async throws {
    var command = command
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  private static func fail(_ failure: CommandFailure) -> Never {
    // Output that was printed earlier appears above the error.
    try? StandardOutput.flush()
    StandardError.write("Error: \(failure)")
    Glibc.exit(failure.exitStatus)
  }
}
