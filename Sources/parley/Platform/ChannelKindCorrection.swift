internal import Basics
internal import Curl

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

extension ChannelKind {
  fileprivate var other: ChannelKind {
    switch self {
    case .open: .group
    case .group: .open
    }
  }

  /// The words after the URL of a channel of this kind that was named as one of the other.
  fileprivate var advice: String {
    switch self {
    case .open: "is an open channel, not a group: use 'parley channel', or omit --group"
    case .group: "is a group, not an open channel: use 'parley group', or add --group"
    }
  }
}
