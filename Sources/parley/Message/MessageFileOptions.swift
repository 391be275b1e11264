internal import ArgumentParser

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
