internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands for the word filters.
struct FilterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter", abstract: "Show and set the words that messages may not contain.",
    discussion: """
      A filter applies to all channels, or with --custom-type to those of a custom type. A word may begin or \
      end with '*', which stands for the rest of the word.

      EXAMPLES:
        parley filter set --kind replace --word bad --word 'worse*'
        parley filter set --kind block --file words.txt --custom-type kids
        parley filter show
        parley filter remove --custom-type kids
      """,
    subcommands: [Show.self, Set.self, Remove.self])
}

/// The channels that a filter applies to.
struct FilterScope: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The custom type of the channels. (default: all channels)", valueName: "custom type"))
  var customType: String?

  /// The path of the filter.
  var path: String {
    guard let customType else { return "/v3/applications/settings_global" }
    return "/v3/applications/settings_by_channel_custom_type/"
      + PercentEncoding.encode(pathPart: customType)
  }
}

extension FilterCommand {
  /// Shows a filter.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the filter in force, with its words.")

    @OptionGroup var scope: FilterScope
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(gateway.client().call("GET", scope.path)) { FilterText.lines(of: $0) }
    }
  }

  /// Sets a filter.
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set the words of a filter, its kind, or both.",
      discussion: "The given words replace those of the filter.")

    /// The consequence of a word.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
      case none
      case replace
      case block

      var type: WordFilterKind {
        switch self {
        case .none: .none
        case .replace: .replace
        case .block: .block
        }
      }
    }

    @OptionGroup var scope: FilterScope

    @Option(
      help: ArgumentHelp(
        "Replace the words with asterisks, block their messages, or do nothing.",
        valueName: "kind"))
    var kind: Kind?

    @Option(help: ArgumentHelp("A word. May be repeated.", valueName: "word"))
    var word: [String] = []

    @Option(help: ArgumentHelp("A file with one word per line.", valueName: "file"))
    var file: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard kind != nil || !word.isEmpty || file != nil else {
        throw ValidationError("give --kind, --word or --file")
      }
    }

    func run() throws {
      var filter = RequestBody()
      if !word.isEmpty || file != nil {
        filter.set("keywords", try word + (file.map(Self.lines) ?? []))
      }
      filter.set("type", kind?.type.rawValue)
      var body = RequestBody()
      body.set("profanity_filter", filter)
      let answer = try gateway.client().call("PUT", scope.path, body: body)
      try output.show(answer) { FilterText.lines(of: $0) }
    }

    private static func lines(of file: String) throws -> [String] {
      guard let text = LocalFile.text(at: file, atMost: 1_000_000) else {
        throw ValidationError("\(file): expected a readable file of UTF-8 of up to 1 MB")
      }
      return text.split(whereSeparator: \.isNewline).map(String.init)
        .filter { !$0.allSatisfy(\.isWhitespace) }
    }
  }

  /// Removes the filter of a custom type.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove the filter of a custom type, so that the one of all channels applies.")

    @Option(help: ArgumentHelp("The custom type of the channels.", valueName: "custom type"))
    var customType: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let path =
        "/v3/applications/settings_by_channel_custom_type/"
        + PercentEncoding.encode(pathPart: customType)
      let answer = try gateway.client().call("DELETE", path)
      try output.show(answer) { FilterText.lines(of: $0) }
    }
  }
}

/// Formats filters.
private enum FilterText {
  static func lines(of answer: JSONNode) -> [String] {
    guard let filter = answer["profanity_filter"] else { return [] }
    let words = filter.list("keywords").compactMap(\.string)
    let kind =
      switch filter["type"]?.integer.flatMap(WordFilterKind.init) {
      case .replace: "words are replaced with asterisks"
      case .block: "messages with a word are refused"
      case .some(.none), nil: "the filter is off"
      }
    return ["\(kind); \(words.count) \(words.count == 1 ? "word" : "words")"] + words
  }
}
