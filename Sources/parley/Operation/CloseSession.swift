internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// Closes a session.
struct CloseSession: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close a session; its client may come back.",
    discussion: "'user deactivate' keeps a user away.")

  @Argument(
    help: ArgumentHelp("The session, as 'sessions list' shows it.", valueName: "session id"))
  var session: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !session.isEmpty else { throw ValidationError("the session's id is empty") }
  }

  func run() throws {
    let part = PercentEncoding.encode(pathPart: session)
    let answer = try gateway.client().call("DELETE", "/v3/parley/sessions/\(part)")
    try output.show(answer, as: "the session is closed")
  }
}
