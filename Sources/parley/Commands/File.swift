internal import ArgumentParser
internal import Basics
internal import HTTP
internal import ParleyProtocol

/// Commands for the files of users and messages.
struct FileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file", abstract: "List, remove, count and encrypt files.",
    discussion: """
      EXAMPLES:
        parley file list --user ada
        parley file show 5fe9c0d2a1b34e5f8a7b6c5d4e3f2a1b
        parley file usage
        parley file rotate-key
      """,
    subcommands: [
      List.self, Show.self, Delete.self, Usage.self, Encryption.self, RotateKey.self,
      EncryptAll.self, Key.self,
    ])

  fileprivate static let path = "/v3/parley/files"
}

/// The file that a command applies to.
struct FileArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The file id, from 'file list'.", valueName: "file id"))
  var file: String

  /// The path of the file.
  var path: String { "\(FileCommand.path)/\(PercentEncoding.encode(pathPart: file))" }

  func validate() throws {
    guard !file.isEmpty else { throw ValidationError("the file id is empty") }
  }
}

extension FileCommand {
  /// Lists files.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List complete files, newest first.")

    @Option(help: ArgumentHelp("Only files of this user.", valueName: "user id"))
    var user: String?

    @Option(help: ArgumentHelp("Only files in messages of this channel.", valueName: "channel url"))
    var channel: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let filters = [("user_id", user), ("channel_url", channel)].compactMap { name, text in
        text.map { (name, $0) }
      }
      let list = PagedList(
        FileCommand.path, query: filters, member: "files", whenEmpty: "no files",
        columns: [.text("file"), .text("user"), .text("bytes"), .text("messages"), .text("name")]
      ) { file in
        [
          file.text("file_id"), file.text("user_id"), String(file["size"]?.integer ?? 0),
          String(file.list("messages").count), file.text("name"),
        ]
      }
      try page.show(list, gateway, output)
    }
  }

  /// Shows a file.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a file, the messages that have it, and why it has no thumbnail.")

    @OptionGroup var file: FileArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", file.path)
      try output.show(answer) { file in
        let messages = file.list("messages").map { message in
          "message \(message["message_id"]?.integer ?? 0) in \(message.text("channel_url"))"
        }
        var lines = [
          "\(file.text("name")) (\(file.text("type"))), \(file["size"]?.integer ?? 0) bytes",
          "of \(file.text("user_id"))",
        ]
        let failure = file.text("thumbnail_failure")
        if !failure.isEmpty { lines.append("no thumbnail: \(failure)") }
        return lines + (messages.isEmpty ? ["in no message"] : messages)
      }
    }
  }

  /// Removes a file.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Remove a file that no message has.")

    @OptionGroup var file: FileArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", file.path)
      try output.show(answer, as: "the file is removed")
    }
  }

  /// Counts files.
  struct Usage: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "usage", abstract: "Count files and their bytes.")

    @Option(help: ArgumentHelp("Only files of this user.", valueName: "user id"))
    var user: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call(
        "GET", FileCommand.path + "/usage", query: user.map { [("user_id", $0)] } ?? [])
      try output.show(answer) { usage in
        ["\(usage["files"]?.integer ?? 0) files, \(usage["bytes"]?.integer ?? 0) bytes"]
      }
    }
  }

  /// Shows how files are stored.
  struct Encryption: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "encryption", abstract: "Show how many files are encrypted, and by which key.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", FileCommand.path + "/encryption")
      try output.show(answer) { FileCommand.lines($0) }
    }
  }

  /// Creates a new master key.
  struct RotateKey: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate-key",
      abstract: "Make a new master key, and wrap the keys of all files with it.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("POST", FileCommand.path + "/rotate_key")
      try output.show(answer) { FileCommand.lines($0) }
    }
  }

  /// Encrypts the files stored in plaintext.
  struct EncryptAll: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "encrypt-all", abstract: "Encrypt all files that are stored in the clear.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("POST", FileCommand.path + "/encrypt_all")
      try output.show(answer) { FileCommand.lines($0) }
    }
  }

  /// Gets a key that opens files for a user.
  struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key", abstract: "Get a key that opens the files that a user may read.")

    @Argument(help: ArgumentHelp("The user id.", valueName: "user id"))
    var user: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let path = "/v3/users/\(PercentEncoding.encode(pathPart: user))/file_key"
      let answer = try gateway.client().call("POST", path)
      try output.show(answer) { [$0["file_key"]?.text("key") ?? ""] }
    }
  }

  fileprivate static func lines(_ state: JSONNode) -> [String] {
    let count = { (name: String) in state[name]?.integer ?? 0 }
    let (keyID, problem) = (state.text("key_id"), state.text("problem"))
    return [
      "encryption \(state.text("mode")), "
        + (problem.isEmpty ? "master key \(keyID)" : "no master key: \(problem)"),
      "\(count("encrypted")) files encrypted, \(count("clear")) in the clear, "
        + "\(count("to_rewrap")) keys to wrap anew",
    ]
  }
}
