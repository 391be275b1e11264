internal import Basics
internal import LoadGenerator
internal import Reactor

/// Deletes the channels and users that a run created.
struct LoadCleaning {
  /// The kinds of objects that a run creates.
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

  /// The error code for an object that does not exist.
  private static let notFound = 400_201

  let client: PlatformClient
  /// Generates the names of the run.
  let run: UInt32
  let plan: LoadPlan

  /// Deletes all objects, and reports the numbers on standard error.
  ///
  /// Channels and users that the run did not create are skipped. Deletion continues after a rejection.
  ///
  /// - Throws: ``CommandFailure`` if an object is left.
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

  /// - Returns: The number of deleted objects, and the first rejection.
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
