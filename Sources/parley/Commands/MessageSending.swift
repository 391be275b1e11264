internal import ArgumentParser
internal import ParleyProtocol
internal import Reactor

extension MessageCommand {
  /// Sends a message on behalf of a user.
  struct Send: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "send", abstract: "Send a message on behalf of a user.",
      discussion: """
        The user need not be in an open channel, and must be a joined member of a group. Freezing, \
        muting and flood protection do not apply. A text of - is read from standard input. With \
        --file or --file-url a file message is sent, whose text is optional. Each --file is a \
        message of its own; the text goes with the first.
        """)

    @OptionGroup var channel: EitherChannelArgument

    @Argument(help: "The text, 1 to 5,000 characters.")
    var text: String?

    @Option(help: ArgumentHelp("The id of the author.", valueName: "user id"))
    var user: String

    @OptionGroup var fields: MessageFieldOptions
    @OptionGroup var sending: MessageSendingOptions
    @OptionGroup var file: MessageFileOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard text != nil || file.isGiven else {
        throw ValidationError("give a text, or a file with --file or --file-url")
      }
      guard sending.translate.isEmpty || !file.isGiven else {
        throw ValidationError("--translate needs a message without a file")
      }
    }

    func run() throws {
      let (path, client) = ("\(channel.path)/messages", try gateway.client())
      guard !file.file.isEmpty else {
        return try show(try client.call("POST", path, body: try body()))
      }
      for (index, name) in file.file.enumerated() {
        try show(try client.call("POST", path, form: try form(name, index)))
      }
    }

    private func show(_ answer: [UInt8]) throws {
      try output.show(answer) { [MessageText.line(ofMessage: $0)] }
    }

    private func body() throws -> RequestBody {
      var body = fields.body
      sending.add(to: &body)
      body.set("message_type", file.isGiven ? "FILE" : "MESG")
      body.set("user_id", user)
      body.set("message", try text.map(StandardInput.text))
      body.set("url", file.fileURL)
      body.set("file_name", file.fileName)
      body.set("file_type", file.fileType)
      return body
    }

    /// Returns the form for the upload of a file; all forms after the first have their own key.
    private func form(_ path: String, _ index: Int) throws -> FormBody {
      let text = index == 0 ? try text.map(StandardInput.text) : nil
      let key = sending.dedupID.map { index == 0 ? $0 : "\($0)-\(index + 1)" }
      let texts: [(String, String?)] = [
        ("message_type", "FILE"), ("user_id", user), ("message", text),
        ("custom_type", fields.customType), ("data", fields.data), ("dedup_id", key),
        ("file_name", file.fileName), ("file_type", file.fileType),
        ("require_auth", file.requireAuth ? "true" : nil), ("thumbnail_sizes", file.thumbnail.json),
      ]
      let mentions = fields.mention.map { ("mentioned_user_ids", $0) }
      return try FormBody(
        fields: texts.compactMap { name, text in text.map { (name, $0) } } + mentions, file: path)
    }
  }
}

extension MessageCommand {
  /// Sends an admin message.
  struct SendAdmin: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "admin",
      abstract: "Send an admin message, which is exempt from throttling.",
      discussion: """
        A text of - is read from standard input. With --also, the message is sent to one channel after \
        another; a refusal is printed, the other channels receive the message, and the exit status is 1. \
        With --dedup-id, the command can be repeated for those that refused.

        EXAMPLES:
          parley message admin lobby "Maintenance at 22:00 UTC"
          parley message admin lobby "Maintenance at 22:00 UTC" --also annex --also hall
        """)

    @OptionGroup var channel: EitherChannelArgument

    @Argument(help: "The text, 1 to 1,000 characters.")
    var text: String

    @Option(
      help: ArgumentHelp(
        "Another channel of the same kind that receives the message; repeatable.",
        valueName: "channel"))
    var also: [String] = []

    @OptionGroup var fields: MessageFieldOptions
    @OptionGroup var sending: MessageSendingOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = fields.body
      sending.add(to: &body)
      body.set("message_type", "ADMM")
      body.set("message", try StandardInput.text(text))
      let client = try gateway.client()
      var failure: CommandFailure?
      for url in [channel.url] + also {
        do {
          let answer = try client.call("POST", "\(channel.kind.path(of: url))/messages", body: body)
          try output.show(answer) { [MessageText.line(ofMessage: $0)] }
        } catch CommandFailure.refused(let reason, let code) where !also.isEmpty {
          StandardError.write("Error: \(url): \(reason)")
          failure = .refused("the message was not sent to all channels", code: code)
        }
      }
      if let failure { throw failure }
    }

    func validate() throws {
      guard also.allSatisfy({ !$0.isEmpty }) else {
        throw ValidationError("--also is empty; a channel URL such as lobby is expected")
      }
    }
  }
}

/// Fields of a message other than its text.
struct MessageFieldOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A message type defined by the application.", valueName: "type"))
  var customType: String?

  @Option(help: "Data defined by the application, at most 16,384 bytes by default.")
  var data: String?

  @Option(help: ArgumentHelp("The id of a mentioned user; repeatable.", valueName: "user id"))
  var mention: [String] = []

  /// The members of the request body.
  var body: RequestBody {
    var body = RequestBody()
    body.set("custom_type", customType)
    body.set("data", data)
    body.set("mentioned_user_ids", mention)
    return body
  }
}

/// Options of a new message.
struct MessageSendingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A key for this message: a second send with the same key sends nothing.",
      valueName: "text"))
  var dedupID: String?

  @Option(
    help: ArgumentHelp(
      "A language to translate the text into, such as es; repeatable.", valueName: "language"))
  var translate: [String] = []

  /// Adds the members of the request body.
  func add(to body: inout RequestBody) {
    body.set("dedup_id", dedupID)
    body.set("translation_target_langs", translate)
  }
}

/// The file of a file message.
struct MessageFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Upload this file; repeatable.", valueName: "path"),
    completion: .file())
  var file: [String] = []

  @Option(help: ArgumentHelp("Send a file that is available at this URL.", valueName: "url"))
  var fileURL: String?

  @Option(
    help: ArgumentHelp("The name to show; the file's own name by default.", valueName: "name"))
  var fileName: String?

  @Option(
    help: ArgumentHelp(
      "The media type; derived from the file name by default.", valueName: "type"))
  var fileType: String?

  @Flag(
    help:
      "Encrypt the uploaded files: reading them takes a key of a user who may read the message.")
  var requireAuth = false

  @Option(
    help: ArgumentHelp(
      "Make a thumbnail that fits into a box of 1 to 2,000 pixels a side, such as 320x240; up to 3 times.",
      valueName: "WxH"))
  var thumbnail: [ThumbnailArgument] = []

  /// Whether a file is given.
  var isGiven: Bool { !file.isEmpty || fileURL != nil }

  func validate() throws {
    guard file.isEmpty || fileURL == nil else {
      throw ValidationError("give --file or --file-url, not both")
    }
    guard file.count <= 1 || (fileName == nil && fileType == nil) else {
      throw ValidationError("--file-name and --file-type need a single --file")
    }
    guard isGiven || (fileName == nil && fileType == nil) else {
      throw ValidationError("--file-name and --file-type need --file or --file-url")
    }
    guard !file.isEmpty || (!requireAuth && thumbnail.isEmpty) else {
      throw ValidationError("--require-auth and --thumbnail need --file")
    }
    guard thumbnail.count <= Limits.thumbnailCount else {
      throw ValidationError("--thumbnail is given more than \(Limits.thumbnailCount) times")
    }
  }
}
