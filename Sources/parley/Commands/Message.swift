internal import Basics
internal import ArgumentParser
internal import ParleyProtocol

/// Commands for messages.
struct MessageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message",
    abstract: "Send, list, search, change and delete messages.",
    discussion: """
      EXAMPLES:
        parley message send lobby "see swift.org" --user ada
        parley message send lobby --user ada --file photo.jpg --thumbnail 320x240
        parley message admin lobby "Maintenance at noon"
        parley message update lobby 17300000000001 "see www.swift.org"
        parley message list lobby --limit 50
        parley message search maintenance --channel lobby
        parley message list lobby --all --json > lobby.json
        parley message metaarray add lobby 17300000000001 games=chess
        parley message translate lobby 17300000000001 es de
        parley message delete lobby 17300000000001
      """,
    subcommands: [
      Send.self, SendAdmin.self, List.self, Search.self,
      Show.self, Count.self, Update.self, Translate.self, Delete.self,
      MetaArrayCommand.self,
    ])
}

extension MessageCommand {
  /// Shows one message.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a message.")

    @OptionGroup var message: MessageArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", message.path)
      try output.show(answer, as: MessageText.lines(ofMessage:))
    }
  }
}

extension MessageCommand {
  /// Counts a channel's messages.
  struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "count", abstract: "Print the number of messages in a channel.")

    @OptionGroup var channel: EitherChannelArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "\(channel.path)/messages/total_count")
      try output.show(answer) { [$0.number("total")] }
    }
  }
}

extension MessageCommand {
  /// Changes a message.
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Change a message of any author.",
      discussion: """
        What is not given keeps its value. A text of - is read from standard input. --mention \
        replaces all mentioned users.
        """)

    @OptionGroup var message: MessageArgument

    @Argument(help: "The new text, 1 to 5,000 characters.")
    var text: String?

    @OptionGroup var fields: MessageFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard text != nil || !fields.body.isEmpty else {
        throw ValidationError("give a text, or an option with a field to change")
      }
    }

    func run() throws {
      var body = fields.body
      body.set("message", try text.map(StandardInput.text))
      let answer = try gateway.client().call("PUT", message.path, body: body)
      try output.show(answer, as: MessageText.lines(ofMessage:))
    }
  }
}

extension MessageCommand {
  /// Adds translations to a message.
  struct Translate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "translate", abstract: "Translate a message of a user.",
      discussion: "The translations are stored with the message.")

    @OptionGroup var message: MessageArgument

    @Argument(help: ArgumentHelp("Languages, such as es.", valueName: "language"))
    var languages: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("target_langs", languages)
      let answer = try gateway.client().call("POST", "\(message.path)/translation", body: body)
      try output.show(answer, as: MessageText.lines(ofMessage:))
    }
  }
}

extension MessageCommand {
  /// Deletes a message.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a message.")

    @OptionGroup var message: MessageArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", message.path)
      try output.show(answer, as: "message \(message.id) is deleted")
    }
  }
}

/// The message that a command applies to.
struct MessageArgument: ParsableArguments {
  @OptionGroup var channel: EitherChannelArgument

  @Argument(help: ArgumentHelp("The message id.", valueName: "message id"))
  var id: Int64

  /// The path in the Platform API.
  var path: String { "\(channel.path)/messages/\(id)" }
}

/// Formats messages as text.
enum MessageText {
  /// Returns all fields of a message.
  static func lines(ofMessage message: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("message", message.number("message_id"))
    fields.add("channel", message.text("channel_url"))
    fields.add("type", message.text("type"))
    fields.add("from", author(of: message))
    fields.add("sent", message.time("created_at"))
    fields.add("edited", message.time("updated_at"))
    fields.add("custom type", message.text("custom_type"))
    fields.add("mentions", message.names("mentioned_users"))
    fields.add("text", message.text("message"))
    for (language, text) in message["translations"]?.members.map({ ($0.name, $0.node) }) ?? [] {
      fields.add("in \(DisplayText.shortened(language))", text.string)
    }
    fields.add("file", message["file"]?.text("name"))
    fields.add("file at", message["file"]?.text("url"))
    fields.add("data", message.text("data"))
    for array in message.list("sorted_metaarray") {
      fields.add(
        array.text("key"), array.list("value").compactMap(\.string).joined(separator: ", "))
    }
    fields.add("preview", message["og_tag"]?.text("og:title"))
    fields.add("preview of", message["og_tag"]?.text("og:url"))
    return fields.lines()
  }

  /// Returns one line for each message of a page.
  static func lines(ofPage page: JSONNode) -> [String] {
    let lines = page.list("messages").map(line(ofMessage:))
    return lines.isEmpty ? ["no messages"] : lines
  }

  /// Returns a message as one line.
  static func line(ofMessage message: JSONNode) -> String {
    let style = TextStyle.standard
    let head = "\(message.time("created_at"))  \(message.number("message_id"))"
    let edited = message.time("updated_at").isEmpty ? "" : style.dim(" (edited)")
    let author = style.bold(DisplayText.shortened(author(of: message), limit: 80))
    let said = DisplayText.shortened(message.text("message"), limit: 5_000)
    let file = DisplayText.shortened(message["file"]?.text("url") ?? "", limit: 2_048)
    let text = [said, file].filter { !$0.isEmpty }.joined(separator: "  ")
    return "\(style.dim(head))  \(author): \(text)\(edited)"
  }

  private static func author(of message: JSONNode) -> String {
    guard let user = message.present("user") else { return "(admin)" }
    let name = user.text("nickname")
    return name.isEmpty ? user.text("user_id") : "\(name) (\(user.text("user_id")))"
  }
}
