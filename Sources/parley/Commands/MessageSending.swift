internal import ArgumentParser

extension MessageCommand {
  /// Sends on behalf of a user.
  struct Send: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "send", abstract: "Send a message on behalf of a user.",
      discussion: """
        The user need not be in the channel, and neither freezing, muting nor flood protection holds \
        it back. A text of - is read from standard input. With --file or --file-url it is a file \
        message, and needs no text.
        """)

    @OptionGroup var channel: ChannelArgument

    @Argument(help: "What is said, 1 to 5,000 characters.")
    var text: String?

    @Option(help: ArgumentHelp("Who says it.", valueName: "user id"))
    var user: String

    @Option(help: ArgumentHelp("The application's own kind of message.", valueName: "type"))
    var customType: String?

    @Option(help: "The application's own data, at most 16,384 bytes.")
    var data: String?

    @Option(help: ArgumentHelp("Who is mentioned; several times.", valueName: "user id"))
    var mention: [String] = []

    @Option(
      help: ArgumentHelp("A name for this sending: repeated, it sends nothing.", valueName: "text"))
    var dedupID: String?

    @OptionGroup var file: MessageFileOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard text != nil || file.isGiven else {
        throw ValidationError("give a text, or a file with --file or --file-url")
      }
    }

    func run() throws {
      let path = "\(channel.path)/messages"
      let answer =
        if let form = try form() {
          try gateway.client().call("POST", path, form: form)
        } else {
          try gateway.client().call("POST", path, body: try body())
        }
      try output.show(answer) { [MessageText.line(ofMessage: $0)] }
    }

    private func body() throws -> RequestBody {
      var body = RequestBody()
      body.set("message_type", file.isGiven ? "FILE" : "MESG")
      body.set("user_id", user)
      body.set("message", try text.map(StandardInput.text))
      body.set("custom_type", customType)
      body.set("data", data)
      body.set("mentioned_user_ids", mention)
      body.set("dedup_id", dedupID)
      body.set("url", file.fileURL)
      body.set("file_name", file.fileName)
      body.set("file_type", file.fileType)
      return body
    }

    /// What is sent with a file that is uploaded; `nil` without one.
    private func form() throws -> FormBody? {
      guard let path = file.file else { return nil }
      let fields: [(String, String?)] = [
        ("message_type", "FILE"), ("user_id", user), ("message", try text.map(StandardInput.text)),
        ("custom_type", customType), ("data", data), ("dedup_id", dedupID),
        ("file_name", file.fileName), ("file_type", file.fileType),
      ]
      let mentions = mention.map { ("mentioned_user_ids", $0) }
      return try FormBody(
        fields: fields.compactMap { name, text in text.map { (name, $0) } } + mentions, file: path)
    }
  }
}

extension MessageCommand {
  /// Sends as the administrator.
  struct SendAdmin: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "admin",
      abstract: "Send an admin message, which everyone in the channel is shown.",
      discussion: "A text of - is read from standard input.")

    @OptionGroup var channel: ChannelArgument

    @Argument(help: "What is said, 1 to 1,000 characters.")
    var text: String

    @Option(help: ArgumentHelp("The application's own kind of message.", valueName: "type"))
    var customType: String?

    @Option(help: "The application's own data, at most 16,384 bytes.")
    var data: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("message_type", "ADMM")
      body.set("message", try StandardInput.text(text))
      body.set("custom_type", customType)
      body.set("data", data)
      let answer = try gateway.client().call("POST", "\(channel.path)/messages", body: body)
      try output.show(answer) { [MessageText.line(ofMessage: $0)] }
    }
  }
}

/// The file of a file message.
struct MessageFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Upload this file with the message.", valueName: "path"),
    completion: .file())
  var file: String?

  @Option(help: ArgumentHelp("Send a file that is to be had there.", valueName: "url"))
  var fileURL: String?

  @Option(help: ArgumentHelp("What the file is called, else its own name.", valueName: "name"))
  var fileName: String?

  @Option(
    help: ArgumentHelp("The file's media type, else a guess by its name.", valueName: "type"))
  var fileType: String?

  /// Whether there is a file.
  var isGiven: Bool { file != nil || fileURL != nil }

  func validate() throws {
    guard file == nil || fileURL == nil else {
      throw ValidationError("give --file or --file-url, not both")
    }
    guard isGiven || (fileName == nil && fileType == nil) else {
      throw ValidationError("--file-name and --file-type go with --file or --file-url")
    }
  }
}
