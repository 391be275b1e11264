internal import Basics
internal import Curl
internal import ParleyProtocol

extension PlatformClient {
  /// Returns a failure that names the kind of the channel, if a call failed because the channel has
  /// the other kind, and the unchanged failure otherwise.
  ///
  /// A path of one kind with the URL of the other is an unknown channel to the gateway.
  func correction(of failure: CommandFailure, at path: String) -> CommandFailure {
    guard case .refused(_, CommandFailure.notFound) = failure,
      let kind = ChannelKind.allCases.first(where: { path.hasPrefix("\($0.path)/") })
    else { return failure }
    let url = path.dropFirst(kind.path.count + 1).prefix { $0 != "/" }
    guard let other = try? exchange("GET", "\(kind.other.path)/\(url)"), other.status == 200 else {
      return failure
    }
    return .refused("\"\(url)\" \(kind.other.advice)", code: CommandFailure.notFound)
  }
}
