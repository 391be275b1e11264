internal import ArgumentParser
internal import Foundation

/// Issues a token that opens sessions for some time.
struct IssueToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issue", abstract: "Issue a token with which a user opens sessions.",
    discussion: "It is shown once. Without --hours it is good for a week.")

  @OptionGroup var user: UserArgument

  @Option(help: ArgumentHelp("How long it is good, 1 to 87,600.", valueName: "hours"))
  var hours: Int64?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...87_600).contains(hours ?? 1) else {
      throw ValidationError("--hours is \(hours ?? 0); 1 to 87600 is expected")
    }
  }

  func run() throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    var body = RequestBody()
    body.set("expires_at", hours.map { now + $0 * 3_600_000 })
    let answer = try gateway.client().call("POST", "\(user.path)/token", body: body)
    try output.show(answer) { token in
      var fields = FieldList()
      fields.add("token", token.text("token"))
      fields.add("good until", token.time("expires_at"))
      return fields.lines()
    }
  }
}
