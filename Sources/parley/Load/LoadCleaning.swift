internal import Basics
internal import LoadGenerator
internal import Reactor

/// Deletes the channels and users that a run has made.
struct LoadCleaning {
  /// The kinds of what a run makes.
  private enum Kind: String {
    case channel
    case user

    var path: String {
      switch self {
      case .channel: "/v3/open_channels/"
      case .user: "/v3/users/"
      }
    }

    func text(_ count: Int) -> String { "\(count) \(rawValue)\(count == 1 ? "" : "s")" }
  }

  /// The code of an answer to a call about something that does not exist.
  private static let notFound = 400_201

  let client: PlatformClient
  /// Makes the names of the run.
  let run: UInt32
  let plan: LoadPlan

  /// Deletes all, and reports the numbers on the standard error stream.
  ///
  /// Channels and users that the run has not made are passed over. Deletion goes on after a refusal.
  ///
  /// - Throws: ``CommandFailure`` when something is left.
  func clean() throws {
    let channels = (0..<plan.channelCount).map {
      ChannelName.url(run: run, channel: UInt32(clamping: $0))
    }
    let users = plan.members.indices.map { LoadTarget.userID(run: run, place: $0) }
    let (channelCount, channelFailure) = try delete(.channel, channels)
    let (userCount, userFailure) = try delete(.user, users)
    StandardError.write(
      "Deleted \(Kind.channel.text(channelCount)) and \(Kind.user.text(userCount)) of the run.")
    if let failure = channelFailure ?? userFailure {
      throw CommandFailure.refused(
        "--clean-up: channels or users of the run are left: \(failure)", code: 0)
    }
  }

  /// - Returns: The number that were deleted, and the first refusal.
  private func delete(
    _ kind: Kind, _ names: [String]
  ) throws -> (count: Int, failure: CommandFailure?) {
    var count = 0
    var first: CommandFailure?
    for name in names {
      do {
        _ = try client.callPatiently("DELETE", kind.path + PercentEncoding.encode(name))
        count += 1
      } catch let failure as CommandFailure {
        switch failure {
        case .refused(_, Self.notFound): continue
        case .refused: first = first ?? failure
        case .unreachable(let reason):
          throw CommandFailure.unreachable(
            "--clean-up: \(reason); \(Kind.channel.rawValue)s and users with names that begin with "
              + "load-\(String(run, radix: 16)) are left")
        case .unwritable: throw failure
        }
      }
    }
    return (count, first)
  }
}
