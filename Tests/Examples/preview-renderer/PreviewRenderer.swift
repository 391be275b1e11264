import ArgumentParser
import Foundation
import ParleyClient

/// Prints the link previews of a channel's messages as cards.
@main
struct PreviewRenderer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview-renderer", abstract: "Prints link previews as cards.")

  @Option(help: "The server, ws://host:port or wss://host:port.")
  var server = "ws://127.0.0.1:8080"

  @Option(help: "The access token, if the server asks for one.")
  var token: String?

  @Argument(help: "The channel's URL.")
  var channel: String

  @Argument(help: "The user's id.")
  var user = "preview-renderer"

  func run() async throws {
    let client = ParleyClient(configuration: ParleyClientConfiguration(serverURL: server))
    try await client.connect(userID: user, accessToken: token)
    let channel = try await client.openChannel(url: channel)
    let events = channel.events
    try await channel.enter()
    say("watching \(channel.url)")
    for await event in events {
      switch event {
      // A preview that is known already comes with the message, others as its update.
      case .messageReceived(let message), .messageUpdated(let message):
        if let card = Card(message) { say(card) }
      default: break
      }
    }
    withExtendedLifetime(client) {}
  }
}

/// A preview, whoever made it: the server or the sender.
private struct Card: CustomStringConvertible {
  private let title: String
  private let address: String
  private let text: String
  private let picture: String

  init?(_ message: any BaseMessage) {
    if let preview = (message as? UserMessage)?.urlPreview {
      title = preview.title
      address = preview.url
      text = preview.description
      picture = preview.image
    } else if let preview = message.ogMetaData {
      title = preview.title ?? ""
      address = preview.url ?? ""
      text = preview.desc ?? ""
      picture = preview.defaultImage?.alt ?? preview.defaultImage?.url ?? ""
    } else {
      return nil
    }
  }

  var description: String {
    [title, text, picture, address].filter { !$0.isEmpty }.map { "| \($0)" }
      .joined(separator: "\n")
  }
}

/// Prints at once, even when it is a program that reads.
private func say(_ text: some CustomStringConvertible) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
