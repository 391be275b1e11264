internal import ArgumentParser
internal import Bytes

/// Removes a user.
struct DeleteUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a user; its messages stay.")

  @OptionGroup var user: UserArgument
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try confirmation.ask("Delete the user \(DisplayText.shortened(user.id))?")
    let answer = try gateway.client().call("DELETE", user.path)
    try output.show(answer, as: "\(user.id) is deleted")
  }
}
