internal import ArgumentParser
internal import ParleyProtocol

extension UserCommand {
  /// Shows or changes the choices of a user that hold in all groups.
  struct Preferences: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "preferences", abstract: "Show or change how a user answers invitations.",
      discussion: """
        Without an option the choice is shown. Invitations that are open stay open when it changes.
        """)

    @OptionGroup var user: UserArgument

    @Flag(
      inversion: .prefixedNo, help: "Join groups as soon as the user is invited.")
    var autoAccept: Bool?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let path = "\(user.path)/channel_invitation_preference"
      guard let autoAccept else {
        return try output.show(try gateway.client().call("GET", path), as: Self.lines(of:))
      }
      var body = RequestBody()
      body.set("auto_accept", autoAccept)
      try output.show(try gateway.client().call("PUT", path, body: body), as: Self.lines(of:))
    }

    private static func lines(of preference: JSONNode) -> [String] {
      var fields = FieldList()
      fields.add("joins groups", preference.isTrue("auto_accept") ? "at once" : "when it accepts")
      return fields.lines()
    }
  }
}
