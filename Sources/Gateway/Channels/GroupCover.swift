import Channels
import Store

/// The groups of a shard that a session is being added to when it opens.
///
/// A user may be in thousands of groups. A shard adds the session to a few of them in each turn of its
/// loop, so that other connections do not wait. The session's shard requests each further slice, so
/// a closed session is not added to the remaining groups.
struct GroupCover: Sendable {
  /// The number of groups that a shard adds a session to in one turn.
  static let sliceLength = 64

  /// The groups that have not added the session.
  private(set) var urls: ArraySlice<String>
  let seat: Seat
  /// The index of the shard where the groups are at home.
  let shard: Int
  /// The number of shards with groups of the user.
  let partCount: Int
  /// See ``JoinedGroupList/changeToken``.
  let changeToken: String

  /// The groups of a user on each shard; a part without groups if there are none.
  static func parts(of groups: JoinedGroupList, _ seat: Seat, on shards: ShardSet) -> [GroupCover] {
    let home = shards.home(ofUser: seat.userID).index
    var parts = Dictionary(grouping: groups.urls) { shards.stageIndex(ofChannel: $0) }
    if parts.isEmpty { parts[home] = [] }
    return parts.map { shard, urls in
      GroupCover(
        urls: urls[...], seat: seat, shard: shard, partCount: parts.count,
        changeToken: groups.changeToken)
    }
  }

  var isComplete: Bool { urls.isEmpty }

  /// Removes and returns the groups of the next turn.
  mutating func takeSlice() -> ArraySlice<String> {
    let slice = urls.prefix(Self.sliceLength)
    urls = urls.dropFirst(slice.count)
    return slice
  }
}
