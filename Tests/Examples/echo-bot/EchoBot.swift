import ArgumentParser
import Foundation
import ParleyClient

/// Repeats whatever people say in a channel.
@main
struct EchoBot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo-bot", abstract: "Repeats whatever people say in a channel.")

  @Option(help: "The server, ws://host:port or wss://host:port.")
  var server = "ws://127.0.0.1:8080"

  @Option(help: "The bot's access token, if the server asks for one.")
  var token: String?

  @Argument(help: "The channel's URL; the channel is created if there is none.")
  var channel = "lobby"

  @Argument(help: "The bot's user id.")
  var user = "echo-bot"

  func run() async throws {
    let client = ParleyClient(configuration: ParleyClientConfiguration(serverURL: server))
    try await client.connect(userID: user, accessToken: token, nickname: "Echo")
    let channel = try await openChannel(client)
    // Asked for before entering, so that nothing can happen in between.
    let events = channel.events
    try await channel.enter()
    say("listening in \(channel.url)")
    for await event in events {
      guard case .messageReceived(let message) = event, let message = message as? UserMessage
      else { continue }
      // Another session of the bot's own would be answered for ever.
      guard message.sender?.userID != user else { continue }
      try await echo(message, in: channel)
    }
    // The sequence ends only with the client, which is needed until then.
    withExtendedLifetime(client) {}
  }

  private func openChannel(_ client: ParleyClient) async throws -> OpenChannel {
    do throws(ParleyError) {
      return try await client.openChannel(url: channel)
    } catch .notFound {
      let params = OpenChannelCreateParams(name: channel, channelURL: channel)
      return try await client.createOpenChannel(params: params)
    }
  }

  /// Waits as long as the server asks it to when people are quicker than a bot may be.
  private func echo(_ message: UserMessage, in channel: OpenChannel) async throws {
    while true {
      do throws(ParleyError) {
        try await channel.sendUserMessage(message.message)
        return
      } catch .tooManyMessages(let wait) {
        try await Task.sleep(for: wait)
      }
    }
  }
}

/// Prints at once, even when it is a program that reads.
private func say(_ text: some CustomStringConvertible) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
