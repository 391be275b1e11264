internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// Which user is meant.
struct UserArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The user.", valueName: "user id"))
  var id: String

  func validate() throws {
    guard !id.isEmpty else { throw ValidationError("the user's id is empty") }
  }

  /// Its place in the Platform API.
  var path: String { "/v3/users/\(PercentEncoding.encode(pathPart: id))" }
}
