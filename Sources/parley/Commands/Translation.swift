internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands for the translation service.
struct TranslationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "translation",
    abstract: "Show the languages of the translation service, and test it.",
    discussion: """
      EXAMPLES:
        parley translation languages
        parley translation test "The house is red." es
      """,
    subcommands: [Languages.self, Test.self])
}

extension TranslationCommand {
  /// Lists the languages.
  struct Languages: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "languages",
      abstract: "List the languages that messages can be translated into.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/translation/languages")
      try output.show(answer) { found in
        let languages = found.list("languages").compactMap(\.string)
        guard languages.isEmpty else { return languages }
        return [
          found.text("mode") == "off" ? "translations are off" : "the languages are unknown"
        ]
      }
    }
  }
}

extension TranslationCommand {
  /// Translates a text.
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Translate a text by the gateway's translation service.",
      discussion: "Fails if a translation is missing. A text of - is read from standard input.")

    @Argument(help: "The text, 1 to 5,000 characters.")
    var text: String

    @Argument(help: ArgumentHelp("Languages, such as es.", valueName: "language"))
    var languages: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("message", try StandardInput.text(text))
      body.set("target_langs", languages)
      let answer = try gateway.client().call(
        "POST", "/v3/parley/translation/test", body: body)
      try output.show(answer, as: Self.lines)
      let found = try JSONDocument(answer).root
      let problem = found.text("problem")
      if !problem.isEmpty {
        throw CommandFailure.refused(
          "a translation is missing: \(DisplayText.shortened(problem))", code: 0)
      }
      if !found.list("unsupported").isEmpty {
        throw CommandFailure.refused("the service lacks a language", code: 0)
      }
    }

    private static func lines(of answer: JSONNode) -> [String] {
      var lines = (answer["translations"]?.members.map { ($0.name, $0.node) } ?? []).map {
        "\($0): \(DisplayText.shortened($1.string ?? "", limit: 200))"
      }
      for language in answer.list("unsupported").compactMap(\.string) {
        lines.append("\(DisplayText.shortened(language)): the service lacks it")
      }
      return lines + ["\(answer.number("duration_ms")) ms"]
    }
  }
}
