internal import ArgumentParser
internal import ParleyProtocol

extension MessageCommand {
  /// Finds messages by their words.
  struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "search", abstract: "Find messages by their words.",
      discussion: """
        All words must occur, in any order. Quotes enclose a phrase. The last word also matches longer \
        words. Case, accents and width make no difference.

        EXAMPLES:
          parley message search maintenance
          parley message search '"smart thr' --channel lobby --limit 5
          parley message search invoice --user ada --sort score
        """)

    /// The order of the messages found.
    enum Order: String, ExpressibleByArgument, CaseIterable {
      case ts
      case score
    }

    @Argument(help: "The words to search for.")
    var text: String

    @Option(help: ArgumentHelp("Only messages of this channel or group.", valueName: "url"))
    var channel: String?

    @Option(help: ArgumentHelp("Only messages that this user may read.", valueName: "user id"))
    var user: String?

    @Flag(help: "Find the whole text as a phrase of whole words.")
    var exact = false

    @Option(help: "The newest first (ts), or those that match best (score).")
    var sort = Order.ts

    @Option(help: ArgumentHelp("Messages to show, 1 to 100.", valueName: "count"))
    var limit = 20

    @Option(help: ArgumentHelp("Continue after a page: its end_cursor.", valueName: "cursor"))
    var after: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !text.isEmpty else { throw ValidationError("the text to search for is empty") }
      guard (1...100).contains(limit) else {
        throw ValidationError("--limit is \(limit); 1 to 100 is expected")
      }
    }

    func run() throws {
      var query = [("query", text), ("sort_field", sort.rawValue), ("limit", String(limit))]
      if let channel { query.append(("channel_url", channel)) }
      if let user { query.append(("user_id", user)) }
      if let after { query.append(("after", after)) }
      if exact { query.append(("exact_match", "true")) }
      let answer = try gateway.client().call("GET", "/v3/search/messages", query: query)
      try output.show(answer, as: Self.lines)
    }

    private static func lines(_ page: JSONNode) -> [String] {
      let found = page.list("results")
      let lines = found.map { message in
        "\(TextStyle.standard.dim(message.text("channel_url")))  \(MessageText.line(ofMessage: message))"
      }
      let total = "\(page.isTrue("total_more") ? "more than " : "")\(page.number("total_count"))"
      var end: [String] = []
      if page.isTrue("has_next") { end.append("\(found.count) of \(total) messages") }
      if page.isTrue("partial") { end.append("older messages may be missing") }
      return lines.isEmpty ? ["no messages"] + end : lines + end
    }
  }
}

/// Commands for the index of search.
struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Show, rebuild and check the index of messages for search.",
    discussion: """
      'message search' finds messages.

      EXAMPLES:
        parley search
        parley search check
        parley search rebuild
      """,
    subcommands: [Status.self, Rebuild.self, Check.self], defaultSubcommand: Status.self)
}

extension SearchCommand {
  /// Shows the state of the index.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the size of the index and how far back it reaches.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/search")
      try output.show(answer, as: Self.lines)
    }

    private static func lines(_ state: JSONNode) -> [String] {
      guard state.text("mode") == "on" else { return ["no search: search.mode is off"] }
      var fields = FieldList()
      fields.add("messages", state.number("messages"))
      fields.add("bytes", state.number("bytes"))
      let isBuilding = state.isTrue("building")
      fields.add("state", isBuilding ? "being built" : "complete")
      if isBuilding { fields.add("reaches back to", state.time("built_back_to")) }
      return fields.lines()
    }
  }

  /// Builds the index again.
  struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rebuild", abstract: "Empty the index and build it again in the background.",
      discussion: "Searches find the newest messages first, and all once the index is built.")

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Build the index again? Searches find few messages until then.")
      let answer = try gateway.client().call("POST", "/v3/parley/search/rebuild")
      try output.show(answer) { _ in ["the index is being built"] }
    }
  }

  /// Compares some messages with the index.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Compare some messages with the index.",
      discussion: "The exit status is 1 if the index does not have one of them.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/search/check")
      try output.show(answer) { ["\($0.number("checked")) messages were compared"] }
      let missing = try OutputOptions.root(of: answer).list("missing").compactMap(\.integer)
      guard missing.isEmpty else {
        throw CommandFailure.refused(
          "\(missing.count) messages are missing in the index, such as \(missing[0]): run 'parley search rebuild'",
          code: 0)
      }
    }
  }
}
