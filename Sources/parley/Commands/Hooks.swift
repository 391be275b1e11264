internal import ArgumentParser
internal import ParleyProtocol

/// Commands for hooks.
struct HooksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hooks", abstract: "Show and test the hooks of the app's back end.",
    discussion: """
      EXAMPLES:
        parley hooks
        parley hooks test
      """,
    subcommands: [Status.self, Test.self], defaultSubcommand: Status.self)
}

extension HooksCommand {
  /// Shows the state of each hook.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show the answers and the last failure of each hook.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/hooks")
      try output.show(answer, as: Self.lines)
    }

    static func lines(_ answer: JSONNode) -> [String] {
      let hooks = answer.list("hooks")
      guard !hooks.isEmpty else { return ["no hooks: hooks.events is not set"] }
      return hooks.enumerated().flatMap { index, hook in
        (index == 0 ? [] : [""]) + fields(of: hook)
      }
    }

    private static func fields(of hook: JSONNode) -> [String] {
      var fields = FieldList()
      fields.add("hook", hook.text("hook"))
      fields.add("url", hook.text("url"))
      fields.add("on failure", hook.text("on_failure"))
      fields.add("circuit", hook["circuit_open"]?.bool == true ? "open" : "closed")
      for outcome in HookOutcome.allCases {
        fields.add(outcome.rawValue, hook["outcomes"]?.number(outcome.rawValue) ?? "0")
      }
      fields.add("last answer", time("last_answer_at", of: hook))
      fields.add("last failure", time("last_failure_at", of: hook))
      fields.add("reason", hook.text("last_failure"))
      return fields.lines()
    }

    /// - Returns: `nil` for a time of 0, which means never.
    private static func time(_ name: String, of hook: JSONNode) -> String? {
      hook[name]?.integer.flatMap { $0 == 0 ? nil : UnixTime.text($0) }
    }
  }
}

extension HooksCommand {
  /// Sends a test request to the URL of each hook.
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Send a signed test request to the URL of each hook and show the answers.",
      discussion: """
        The request has {"test":true} as its params, and neither a user nor a channel. Any valid \
        answer is a success, also one that refuses.
        """)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("POST", "/v3/parley/hooks/test")
      try output.show(answer, as: Self.lines)
      let failed = try OutputOptions.root(of: answer).list("hooks").filter {
        !$0.text("problem").isEmpty
      }
      guard failed.isEmpty else {
        throw CommandFailure.refused(
          "\(failed.count) of the hooks gave no valid answer", code: 0)
      }
    }

    private static func lines(_ answer: JSONNode) -> [String] {
      var table = TextTable([
        .text("hook"), .text("url"), .number("ms"), .text("allowed"), .text("problem"),
      ])
      for hook in answer.list("hooks") {
        let problem = hook.text("problem")
        let allowed = hook["allowed"]?.bool == true ? "yes" : "no"
        table.add([
          hook.text("hook"), hook.text("url"), hook.number("milliseconds"),
          problem.isEmpty ? allowed : "-", problem,
        ])
      }
      return table.lines(whenEmpty: "no hooks")
    }
  }
}
