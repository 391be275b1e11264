internal import ArgumentParser

/// Whom a restriction is for, how long and why.
struct RestrictionOptions: ParsableArguments {
  @OptionGroup var target: RestrictionTarget

  @Option(help: ArgumentHelp("How long; -1 for ten years.", valueName: "seconds"))
  var seconds: Int64 = -1

  @Option(help: ArgumentHelp("Why, told to the channel.", valueName: "text"))
  var reason: String?

  /// The members of the call.
  var body: RequestBody {
    var body = RequestBody()
    body.set("user_id", target.user)
    body.set("seconds", seconds)
    body.set("description", reason)
    return body
  }

  /// For how long, in words.
  var duration: String { seconds < 0 ? "for ten years" : "for \(seconds) seconds" }
}
