internal import ArgumentParser

/// What a user is given.
struct UserFieldOptions: ParsableArguments {
  @Option(help: "The name shown to others.")
  var nickname: String?

  @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
  var profileURL: String?

  @Flag(help: "Issue an access token that does not expire; one from before is no longer valid.")
  var issueAccessToken = false

  /// The members of the call.
  var body: RequestBody {
    var body = RequestBody()
    body.set("nickname", nickname)
    body.set("profile_url", profileURL)
    if issueAccessToken { body.set("issue_access_token", true) }
    return body
  }
}
