internal import ArgumentParser
internal import Basics
internal import ParleyClient

/// Opens a conversation in the terminal.
struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Chat in a channel or group.",
    discussion: """
      Each line is sent as a message, except the commands /file PATH (send a file), /cancel (end \
      its upload), /who, /more (show withheld messages), /help and /quit; a line that begins with // is sent with one slash. Ctrl-C, or Ctrl-D on an \
      empty line, quits; Ctrl-Z suspends. Lines from a pipe wait for flood protection. In a group, \
      the user must be a joined member.

      EXAMPLES:
        parley chat lobby --user ada
        parley chat --group trip --user ada
        echo "the build is done" | parley chat lobby --user builder
      """)

  @OptionGroup var channel: EitherChannelArgument
  @OptionGroup var session: SessionOptions

  @Option(help: ArgumentHelp("Earlier messages to show, 0 to 200; 0 for none.", valueName: "count"))
  var history = 20

  func validate() throws {
    guard (0...200).contains(history) else {
      throw ValidationError("--history is \(history); 0 to 200 is expected")
    }
  }

  func run() async throws {
    let client = try await session.connect(for: channel.kind)
    let events = client.events
    let channel = try await ConversationChannel.enter(channel, client)
    let name = DisplayText.shortened(client.currentUser?.userID ?? "", limit: 20)
    let screen = ChatScreen(
      Terminal.isInteractive ? .editing(prompt: "\(name)> ") : .lines,
      log: ConversationLog(style: .standard))
    let terminal = HeldTerminal(ChatScreen.look) { Task { await screen.redraw() } }
    defer { terminal?.release() }
    let conversation = ChatConversation(
      place: channel, screen: screen, haste: terminal == nil ? .waits : .notified)
    await conversation.notice("\(channel.title); /help lists commands")
    await conversation.showHistory(history)
    let failure = await Self.hold(conversation, events)
    if let failure { throw failure }
    await client.disconnect()
  }

  /// Runs input and events until one of them ends.
  private static func hold(
    _ conversation: ChatConversation, _ events: ParleyEvents<ParleyEvent>
  ) async -> CommandFailure? {
    let withheld = WithheldRange()
    let uploads = ChatUploads(conversation)
    let (endings, ending) = AsyncStream.makeStream(of: CommandFailure?.self)
    Task { await uploads.run() }
    // No task is awaited: reading from the terminal cannot be cancelled.
    Task { ending.yield(await conversation.follow(events, withheld)) }
    Task {
      await ChatInput(conversation: conversation, withheld: withheld, uploads: uploads).run()
      ending.yield(nil)
    }
    for await failure in endings { return failure }
    return nil
  }
}
