internal import ParleyProtocol

/// Formats answers about pushes as text.
enum PushText {
  static let noTokens = "no tokens"

  /// The characters of a token that are shown: enough to recognize it, too few to use it.
  private static let shownCharacters = 8

  // MARK: - Status

  static func lines(ofStatus status: JSONNode) -> [String] {
    let ways = status.list("ways")
    let states = ways.isEmpty ? ["no pushes: no way of pushing is set up"] : lines(ofWays: ways)
    return states + [""] + lines(ofTotals: status)
  }

  private static func lines(ofWays ways: [JSONNode]) -> [String] {
    var table = TextTable([
      .text("way"), .text("state"), .number("sent"), .number("failed"), .text("last success"),
      .text("last failure"), .text("reason"),
    ])
    for way in ways {
      table.add([
        way.text("type"), way.text("state"), way.number("sent"), way.number("failed"),
        way.time("last_success_at"), way.time("last_failure_at"), way.text("last_error"),
      ])
    }
    return table.lines(whenEmpty: "")
  }

  private static func lines(ofTotals status: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("waiting", waiting(status))
    let hosts = status.list("paused_hosts").compactMap(\.string)
    fields.add("paused hosts", hosts.joined(separator: ", "))
    let tokens = status.present("tokens").map { Array($0.members) } ?? []
    let counts = tokens.compactMap { type, count in count.integer.map { "\($0) \(type)" } }
    fields.add("tokens", counts.joined(separator: ", "))
    fields.add("web key", status.text("web_key"))
    return fields.lines()
  }

  private static func waiting(_ status: JSONNode) -> String {
    let count = status.number("backlog")
    guard let age = status["oldest_ms"]?.integer, age > 0 else { return count }
    return "\(count), the oldest for \(Milliseconds.inWords(age))"
  }

  // MARK: - Tokens

  /// - Parameter answers: One for each type.
  /// - Returns: Nothing without tokens.
  static func lines(ofTokenAnswers answers: [JSONNode]) -> [String] {
    var table = TextTable([
      .text("type"), .text("token"), .text("device"), .text("registered"), .text("last success"),
    ])
    for token in answers.flatMap({ $0.list("devices") }) {
      table.add([
        token.text("type"), String(token.text("token").suffix(shownCharacters)),
        token.text("device_id"), token.time("created_at"), token.time("last_success_at"),
      ])
    }
    return table.takeLines()
  }

  // MARK: - Test

  static func lines(ofTest answer: JSONNode) -> [String] {
    var table = TextTable([.text("type"), .text("token"), .text("outcome"), .text("reason")])
    for result in answer.list("results") {
      table.add([
        result.text("type"), result.text("token"), result.text("outcome"), result.text("reason"),
      ])
    }
    return table.lines(whenEmpty: noTokens)
  }

  // MARK: - Explanation

  static func lines(ofExplanation explanation: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", explanation.text("user_id"))
    fields.add("message", explanation.number("message_id"))
    fields.add("pushed", explanation.isTrue("pushed") ? "yes" : "no")
    let reason = explanation.text("reason")
    fields.add("reason", reasons[reason].map { "\(reason): \($0)" } ?? reason)
    for token in explanation.list("tokens") {
      let success = token.time("last_success_at")
      fields.add(
        "token",
        "\(token.text("type")) \(token.text("token"))"
          + (success.isEmpty ? "" : ", last success \(success)"))
    }
    return fields.lines()
  }

  /// The reasons for which a message is not pushed, in words.
  private static let reasons = [
    "open_channel": "messages of open channels are pushed to mentioned users only, if at all",
    "ephemeral": "the channel keeps no messages",
    "not_joined": "the user is not a joined member of the group",
    "before_history": "the message is older than the user's view of the group",
    "author": "the user sent the message",
    "suppressed": "the sender set push_option to suppress",
    "silent": "the message is silent",
    "admin_without_send_push": "the admin message was sent without send_push",
    "hook": "the app's back end refused the push",
    "deleted": "the message was deleted",
    "too_old": "the message is older than push.max_age_seconds",
    "deactivated": "the user is deactivated",
    "has_session": "the user has a session that is not in the background",
    "already_read": "the user has read the message",
    "author_blocked": "the user blocks the author",
    "trigger_off": "the user has switched pushes off, for the group or for all",
    "not_mentioned": "the user wants pushes of mentions only",
    "snoozed": "the user has snoozed pushes",
    "do_not_disturb": "it is within the user's do-not-disturb time",
    "no_token": "the user has registered no device",
    "sender_limit": "the sender exceeds push.per_sender_per_minute",
  ]
}
