internal import ArgumentParser
internal import LinkPreview

/// Finds the link of a message.
struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Read a message's text from standard input and print the URL that is previewed.",
    discussion: "Prints nothing when the text has no link.")

  func run() throws {
    let text = try StandardInput.read(upTo: 4_194_304)
    if let url = LinkFinder.firstURL(in: String(decoding: text, as: UTF8.self)) { print(url.text) }
  }
}
