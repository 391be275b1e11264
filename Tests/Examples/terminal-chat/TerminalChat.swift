import ArgumentParser
import Foundation
import ParleyClient

/// A conversation in the terminal: lines that are typed are sent, what others say is printed.
@main
struct TerminalChat: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "terminal-chat", abstract: "Takes part in a channel's conversation.")

  @Option(help: "The server, ws://host:port or wss://host:port.")
  var server = "ws://127.0.0.1:8080"

  @Option(help: "The access token, if the server asks for one.")
  var token: String?

  @Argument(help: "The channel's URL.")
  var channel: String

  @Argument(help: "The user's id.")
  var user: String

  func run() async throws {
    let client = ParleyClient(configuration: ParleyClientConfiguration(serverURL: server))
    try await client.connect(userID: user, accessToken: token)
    let channel = try await client.openChannel(url: channel)
    let screen = Screen()
    client.addOpenChannelDelegate(screen, identifier: "screen")
    client.addConnectionDelegate(screen, identifier: "screen")
    try await channel.enter()
    say("-- \(channel.name), \(channel.participantCount) here")
    try await printHistory(of: channel)
    for await line in typedLines() where !line.isEmpty {
      await send(line, to: channel)
    }
    await client.disconnect()
    withExtendedLifetime(screen) {}
  }

  /// On a thread of its own: reading what is typed blocks.
  private func typedLines() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }

  private func printHistory(of channel: OpenChannel) async throws {
    guard !channel.isEphemeral else { return }
    for message in try await channel.messages() { say(Screen.line(message)) }
  }

  private func send(_ text: String, to channel: OpenChannel) async {
    do throws(ParleyError) {
      try await channel.sendUserMessage(text)
    } catch {
      say("-- not sent: \(error.message)")
    }
  }
}

/// Prints what happens.
private final class Screen: OpenChannelDelegate, ConnectionDelegate {
  static func line(_ message: any BaseMessage) -> String {
    var text = message.message
    if let file = message as? FileMessage {
      text = [text, "[\(file.name)]", file.url].filter { !$0.isEmpty }.joined(separator: " ")
    }
    return "\(message.sender?.userID ?? "--"): \(text)"
  }

  func channel(_ channel: OpenChannel, didReceive message: any BaseMessage) {
    say(Self.line(message))
  }

  func channel(_ channel: OpenChannel, messagesThrottled messages: ThrottledMessages) {
    say("-- and \(messages.count) more")
  }

  func channel(_ channel: OpenChannel, userDidEnter user: User) {
    say("-- \(user.userID) is here")
  }

  func channel(_ channel: OpenChannel, userDidExit user: User) {
    say("-- \(user.userID) left")
  }

  func channel(_ channel: OpenChannel, didLoseEvents loss: EventLoss) {
    say("-- something was missed: \(loss)")
  }

  func didStartReconnecting(
    attempt: Int, after pause: Duration, because reason: DisconnectionReason
  ) {
    say("-- \(reason); trying again")
  }

  func didReconnect() {
    say("-- back again")
  }
}

/// Prints at once, even when it is a program that reads.
private func say(_ text: some CustomStringConvertible) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
